import type { Draft, Session } from '../state/session.ts';
import { restoreFields } from './draft.ts';
import type { Field } from './field.ts';

/** Snapshots share outlines, so many snapshots take little memory. */
const MOST_STEPS = 100;

/**
 * Undoes and redoes changes to the list of fields and their outlines.
 * @param changed is called after each change, undo and redo
 */
export function fieldHistory({ draft }: Session, changed: () => void) {
  let done: readonly (readonly Field[])[] = [];
  let undone: readonly (readonly Field[])[] = [];
  const restore = (fields: readonly Field[]) => draft.change((now) => restoreFields(now, fields));
  return {
    change(change: (now: Draft) => Draft) {
      const before = draft.get().fields;
      draft.change(change);
      if (draft.get().fields === before) return;
      done = [...done, before].slice(-MOST_STEPS);
      undone = [];
      changed();
    },
    undo() {
      const before = done.at(-1);
      if (before === undefined) return;
      done = done.slice(0, -1);
      undone = [...undone, draft.get().fields];
      restore(before);
      changed();
    },
    redo() {
      const after = undone.at(-1);
      if (after === undefined) return;
      undone = undone.slice(0, -1);
      done = [...done, draft.get().fields];
      restore(after);
      changed();
    },
    canUndo: () => done.length > 0,
    canRedo: () => undone.length > 0,
  };
}
