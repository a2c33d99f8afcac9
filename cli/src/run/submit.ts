import { type SoilClient, SoilError } from 'soil-batch-client';
import { allBatches, jobsIn, withBatches } from './batches.ts';
import type { Run } from './run.ts';
import { type Chunk, type Creation, readBody, removeBody } from './run-file.ts';

/** The service keeps an idempotency key for 24 hours; the rest is for clocks that differ. */
const KEY_MS = 23 * 3_600_000;

export interface Submitting {
  readonly client: SoilClient;
  readonly run: Run;
  readonly signal: AbortSignal;
  /** The service's time in milliseconds. */
  readonly now: () => number;
  /** Called for each new batch. */
  readonly onCreated: (batchId: string, chunk: Chunk) => void;
}

/**
 * Creates the batches that the run does not have yet, each once, however often this is interrupted.
 * @returns the problem if the quota is used up before all are created
 */
export async function submitChunks(submitting: Submitting): Promise<SoilError | null> {
  const { run, onCreated } = submitting;
  for (const [index, chunk] of run.state.chunks.entries()) {
    const [creation] = chunk.batches;
    const isUnneeded = creation.sent_at === null && jobsIn(chunk).length === 0;
    if (creation.batch_id !== null || isUnneeded) continue;
    try {
      const batchId = await createOnce(submitting, index, creation);
      await updateCreation(run, index, { batch_id: batchId });
      onCreated(batchId, chunk);
      await removeBody(run.folder, index);
    } catch (error) {
      // `sent_at` stays: an earlier attempt, whose response was lost, may have created the batch.
      if (error instanceof SoilError && error.type === 'quota-exceeded') return error;
      throw error;
    }
  }
  return null;
}

async function createOnce(
  { client, run, signal, now }: Submitting,
  index: number,
  creation: Creation,
): Promise<string> {
  const body = await readBody(run.folder, index);
  if (creation.sent_at === null) {
    await updateCreation(run, index, { sent_at: new Date(now()).toISOString() });
  } else if (Math.abs(now() - Date.parse(creation.sent_at)) > KEY_MS) {
    // The key no longer tells whether the request arrived; the list of batches does.
    const found = await findCreated(client, run, creation.sent_at, now(), signal);
    if (found !== null) return found;
    await updateCreation(run, index, { sent_at: new Date(now()).toISOString() });
  }
  const { idempotency_key: idempotencyKey } = creation;
  return (await client.createBatch(body, { idempotencyKey, signal })).batch_id;
}

function updateCreation(run: Run, index: number, change: Partial<Creation>): Promise<void> {
  return run.update((state) =>
    withBatches(state, index, ([creation, ...retries]) => [{ ...creation, ...change }, ...retries]),
  );
}

/** For clocks that differ. */
const MARGIN_MS = 86_400_000;

/**
 * The batch of the run that a request created whose response was lost; null if none was. Batches are
 * created one after another, so at most one is not in the run file.
 */
async function findCreated(
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
