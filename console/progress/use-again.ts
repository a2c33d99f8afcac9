import type { Batch, BatchStatus, Model } from 'soil-batch-client';
import * as z from 'zod/mini';
import { askToConfirm } from '../confirm.ts';
import { button, fill, h } from '../element.ts';
import { addFields, emptyDraft } from '../fields/draft.ts';
import { type FileField, FileRejected, tooManyError } from '../files/file-fields.ts';
import { MOST_FIELDS } from '../files/file-limits.ts';
import { quoteLongIntegers } from '../files/geojson.ts';
import { isPolygonal } from '../files/outline.ts';
import { isOffered } from '../map/coverage.ts';
import { explainError } from '../state/messages.ts';
import type { Draft, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

export function useAgainButton(session: Session, batch: Batch, signal: AbortSignal) {
  const { draft, go, models } = session;
  let name: string | null = null;
  const status = h('p', { role: 'status', class: 'muted' });
  const error = h('p', { role: 'alert', class: 'error' });
  const mayReplace = async () => {
    const { fields, submitted } = draft.get();
    if (fields.length === 0 || fields === submitted) return true;
    const { replaceQuestion, replace: agree } = TEXTS.batch;
    const { keep: refuse } = TEXTS.fields;
    return askToConfirm({ text: replaceQuestion(fields.length), agree, refuse }, signal);
  };
  const use = button(TEXTS.batch.useAgain, async () => {
    if (!(await mayReplace())) return;
    use.disabled = true;
    fill(error);
    fill(status, TEXTS.batch.readingFields);
    try {
      const read = await readDraft(batch, models, signal);
      draft.set({ ...read, batchName: name ?? '' });
      go({ page: 'fields' });
    } catch (reason) {
      if (signal.aborted) return;
      fill(error, reason instanceof FileRejected ? reason.message : explainError(reason));
    }
    fill(status);
    use.disabled = false;
  });
  return {
    element: h('div', { class: 'action' }, use, status, error),
    show(now: BatchStatus) {
      name = now.name;
    },
  };
}

const table = z.object({
  features: z.array(
    z.object({
      geometry: z.unknown(),
      properties: z.object({
        name: z.nullable(z.string()),
        year: z.int(),
        model: z.nullable(z.string()),
        properties: z.nullable(z.record(z.string(), z.unknown())),
      }),
    }),
  ),
});

/**
 * The draft has the year and the model that the batch's jobs share, if any.
 * @throws FileRejected if there are more fields than the page can hold
 */
async function readDraft(
  batch: Batch,
  models: readonly Model[],
  signal: AbortSignal,
): Promise<Draft> {
  const fields: FileField[] = [];
  const years = new Set<number>();
  const used = new Set<string>();
  for await (const { text } of batch.results({ signal })) {
    const { features } = z.parse(table, JSON.parse(quoteLongIntegers(text)));
    for (const { geometry, properties } of features) {
      const { name, year, model, properties: attributes } = properties;
      // The table has null for polygons such as those with open rings.
      const polygon = isPolygonal(geometry) ? geometry : null;
      fields.push({ name, polygon, attributes: attributes ?? {} });
      years.add(year);
      if (model !== null) used.add(model);
    }
    if (fields.length > MOST_FIELDS) throw tooManyError(TEXTS.progress.title);
  }
  const [first] = years;
  const year = first !== undefined && years.size === 1 ? first : emptyDraft().year;
  const [model = null] = used;
  const isChoice = used.size === 1 && models.filter(isOffered).some((one) => one.model === model);
  const draft = { ...emptyDraft(), year, model: isChoice ? model : null };
  return { ...addFields(draft, fields), selected: null };
}
