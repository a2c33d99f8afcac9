import { isFinal } from 'soil-batch-client';
import { h } from '../element.ts';
import { nameOf } from '../progress/job-columns.ts';
import { formatAddress } from '../state/routes.ts';
import type { CompletedField, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

/**
 * The fields of a batch that have results, in the order of the request. For a final batch, they are read only
 * once.
 */
async function readCompletedFields(
  { client, completed }: Session,
  batchId: string,
  signal: AbortSignal,
): Promise<readonly CompletedField[]> {
  const known = completed.get(batchId);
  if (known !== undefined) return known;
  const batch = await client.batch(batchId).status({ jobs: 'completed', signal });
  const fields = batch.jobs.map(({ job_id, job_index, name }) => ({ job_id, job_index, name }));
  if (isFinal(batch)) completed.set(batchId, fields);
  return fields;
}

/** Links to the previous and the next field; null unless this field and another one have results. */
export async function neighbourLinks(
  session: Session,
  batchId: string,
  jobId: string,
  signal: AbortSignal,
): Promise<HTMLElement | null> {
  const fields = await readCompletedFields(session, batchId, signal);
  const at = fields.findIndex(({ job_id }) => job_id === jobId);
  if (at < 0 || fields.length < 2) return null;
  const linkTo = (field: CompletedField | undefined, label: string) =>
    field === undefined
      ? h('span', { class: 'muted' }, label)
      : h(
          'a',
          {
            href: formatAddress({ page: 'result', batchId, jobId: field.job_id }),
            title: nameOf(field),
          },
          label,
        );
  return h(
    'nav',
    { class: 'neighbours', 'aria-label': TEXTS.result.neighbours },
    linkTo(fields[at - 1], TEXTS.result.previous),
    h('span', { class: 'muted' }, TEXTS.result.place(at + 1, fields.length)),
    linkTo(fields[at + 1], TEXTS.result.next),
  );
}
