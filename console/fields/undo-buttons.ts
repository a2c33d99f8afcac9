import { button, h } from '../element.ts';
import { TEXTS } from '../texts.ts';

export interface Steps {
  readonly canUndo: () => boolean;
  readonly canRedo: () => boolean;
  readonly undo: () => void;
  readonly redo: () => void;
}

/** @param stepsOf returns the steps of the user's current activity */
export function undoButtons(stepsOf: () => Steps) {
  const undo = button(TEXTS.fields.undo, () => stepsOf().undo(), {
    class: 'quiet',
    'aria-keyshortcuts': 'Control+Z',
  });
  const redo = button(TEXTS.fields.redo, () => stepsOf().redo(), {
    class: 'quiet',
    'aria-keyshortcuts': 'Control+Shift+Z Control+Y',
  });
  const press = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey;
    // In a text field, the shortcuts undo typing.
    if (!isCommand || isText(event.target)) return;
    const isRedo = key === 'y' || (key === 'z' && event.shiftKey);
    if (!isRedo && key !== 'z') return;
    event.preventDefault();
    if (isRedo) stepsOf().redo();
    else stepsOf().undo();
  };
  document.addEventListener('keydown', press);
  return {
    element: h('span', {}, undo, redo),
    show() {
      const steps = stepsOf();
      undo.disabled = !steps.canUndo();
      redo.disabled = !steps.canRedo();
    },
    leave: () => document.removeEventListener('keydown', press),
  };
}

function isText(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select');
}
