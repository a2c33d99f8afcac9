import type { Model } from 'soil-batch-client';
import * as z from 'zod/mini';
import { isPolygonal } from '../files/outline.ts';
import { isOffered } from '../map/coverage.ts';
import type { Draft } from '../state/session.ts';
import type { Store } from '../state/store.ts';
import { parseStored, writeStored } from '../state/tab-storage.ts';
import { addFields, emptyDraft } from './draft.ts';
import type { Polygonal } from './field.ts';

const field = z.object({
  name: z.string(),
  polygon: z.nullable(z.custom<Polygonal>(isPolygonal)),
  malformed: z.exactOptional(z.looseObject({})),
  attributes: z.looseObject({}),
});

const keptDraft = z.object({
  fields: z.array(field),
  /** The year is NaN while its input is empty; JSON writes NaN as null. */
  year: z.nullable(z.number()),
  batchName: z.string(),
  model: z.nullable(z.string()),
  isSubmitted: z.boolean(),
});

const STORED = 'draft';

/** Just long enough to gather keystrokes: a hidden page may be closed without another event. */
const DELAY_MS = 250;

/** The kept model may no longer be deployed. */
export function restoreDraft(models: readonly Model[]): Draft {
  const kept = parseStored(STORED, keptDraft);
  if (kept === null) return emptyDraft();
  const { year, batchName } = kept;
  const isChoice = models.filter(isOffered).some(({ model }) => model === kept.model);
  const model = isChoice ? kept.model : null;
  const draft = { ...emptyDraft(), year: year ?? Number.NaN, batchName, model };
  const { fields } = addFields(draft, kept.fields);
  return { ...draft, fields, submitted: kept.isSubmitted ? fields : [] };
}

/** @param kept is called after each attempt, with false if the tab cannot store the draft */
export function keepDraft(draft: Store<Draft>, kept: (isKept: boolean) => void) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let written = '';
  const write = () => {
    timer = null;
    const text = formatDraft(draft.get());
    if (text === written) return;
    written = text;
    kept(writeStored(STORED, text));
  };
  const end = draft.watch(() => {
    timer ??= setTimeout(write, DELAY_MS);
  });
  const writePending = () => {
    if (timer !== null) write();
  };
  addEventListener('pagehide', writePending);
  return {
    remove() {
      end();
      removeEventListener('pagehide', writePending);
      if (timer !== null) clearTimeout(timer);
      writeStored(STORED, null);
    },
  };
}

function formatDraft({ fields, year, batchName, model, submitted }: Draft): string {
  const kept: Record<keyof z.input<typeof keptDraft>, unknown> = {
    fields: fields.map(({ id: _, ...field }) => field),
    year,
    batchName,
    model,
    isSubmitted: fields === submitted,
  };
  return JSON.stringify(kept);
}
