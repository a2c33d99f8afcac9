import type { SoilClient } from 'soil-batch-client';
import { allBatches } from './batches.ts';
import type { Run } from './run.ts';

/** For clocks that differ. */
const MARGIN_MS = 86_400_000;

/**
 * The batch of the run that a request created whose response was lost; null if none was. Batches are
 * created one after another, so at most one is not in the run file.
 */
export async function findCreated(
  client: SoilClient,
  { state }: Run,
  sentAt: string,
  now: number,
  signal: AbortSignal,
): Promise<string | null> {
  const known = new Set(allBatches(state).map(({ id }) => id));
  for await (const batch of client.batches(
    { ...createdAfter(sentAt, now), limit: 100 },
    { signal },
  )) {
    const isOfRun = batch.metadata?.['run_id'] === state.run_id && batch.retry_of === undefined;
    if (isOfRun && !known.has(batch.batch_id)) return batch.batch_id;
  }
  return null;
}

/** Nothing if the clock was wrong: it has been set back since. */
function createdAfter(sentAt: string, now: number): { readonly created_after?: string } {
  const sent = Date.parse(sentAt);
  if (sent > now) return {};
  return { created_after: new Date(sent - MARGIN_MS).toISOString() };
}
