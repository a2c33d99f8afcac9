import { type Batch, type BatchRunner, isFinal } from '../batch/batch.ts';
import { type OwnedBatchPorts, readOwnedBatch } from '../batch/owned-batch.ts';
import { type Clock, timestamp } from '../clock.ts';
import { formatCopyRunName, formatRunName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import type { CopyState, CopyStore } from './destination.ts';

export interface RequestCopiesPorts extends OwnedBatchPorts {
  readonly copies: Pick<CopyStore, 'readCopies' | 'requestCopies'>;
  readonly runner: Pick<BatchRunner, 'startCopies' | 'state'>;
  readonly clock: Clock;
}

export type CopyRequest =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly because: CopyRefusal }
  | { readonly kind: 'requested'; readonly batch: Batch };

export type CopyRefusal = 'no destination' | 'not finished' | 'copied' | 'copying' | 'too often';

/**
 * Starts a run that copies what is missing in the client's bucket, unless a run still copies. The request is recorded
 * first, so that concurrent requests start a single run.
 * @param weigh counts the run's work against the request rate, or throws
 */
export async function requestCopies(
  ports: RequestCopiesPorts,
  tenant: string,
  batchId: string,
  weigh: (jobs: number) => Promise<void>,
): Promise<CopyRequest> {
  const batch = await readOwnedBatch(ports, tenant, batchId);
  if (batch === null) return { kind: 'unknown' };
  if (batch.destination === undefined) return { kind: 'refused', because: 'no destination' };
  if (!isFinal(batch)) return { kind: 'refused', because: 'not finished' };
  const state = await ports.copies.readCopies(batch.batch_id);
  if (state.complete) return { kind: 'refused', because: 'copied' };
  if (await isCopying(ports, batch, state)) return { kind: 'refused', because: 'copying' };
  if (state.requests >= LIMITS.copyRequestsPerBatch) {
    return { kind: 'refused', because: 'too often' };
  }
  await weigh(batch.total_jobs);
  const now = timestamp(ports.clock());
  const requested = await ports.copies.requestCopies(batch.batch_id, state.requests, now);
  // If a concurrent request was recorded first, this starts the run of that request.
  await ports.runner.startCopies(batch.batch_id, state.requests + 1);
  if (requested === 'unchanged') return { kind: 'refused', because: 'copying' };
  return { kind: 'requested', batch };
}

/** Whether the last run still copies. Its state decides, not its age, because a throttled step may wait for hours. */
async function isCopying(
  { runner }: Pick<RequestCopiesPorts, 'runner'>,
  { batch_id: batchId, restarts = 0 }: Batch,
  { failure, requests }: CopyState,
): Promise<boolean> {
  // A run copies nothing more once a failure is recorded.
  if (failure !== null) return false;
  if (requests === 0) return (await runner.state(formatRunName(batchId, restarts))) === 'running';
  const state = await runner.state(formatCopyRunName(batchId, requests));
  // The process that recorded the request may have died before it started the run. Starting is safe to repeat.
  if (state === 'absent') await runner.startCopies(batchId, requests);
  return state !== 'ended';
}
