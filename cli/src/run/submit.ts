import { type SoilClient, SoilError } from 'soil-batch-client';
import { withBatches } from './batches.ts';
import { findCreated } from './find-created.ts';
import { readBody, removeBody } from './request-body.ts';
import type { Run } from './run.ts';
import type { Chunk, Creation } from './run-file.ts';

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
    if (creation.batch_id !== null) continue;
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
