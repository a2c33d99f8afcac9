import { type Batch, type BatchRunner, isFinal, toRun } from '../batch/batch.ts';
import { type OwnedBatchPorts, readOwnedBatch } from '../batch/owned-batch.ts';
import { type Clock, timestamp } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { findFailure } from './copy-status.ts';
import type { CopyStore } from './destination.ts';

export interface RequestCopiesPorts extends OwnedBatchPorts {
  readonly copies: Pick<CopyStore, 'readCopies' | 'requestCopies'>;
  readonly runner: Pick<BatchRunner, 'startCopies'>;
  readonly clock: Clock;
}

export type CopyRequest =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly because: CopyRefusal }
  | { readonly kind: 'requested'; readonly batch: Batch };

export type CopyRefusal = 'no destination' | 'not finished' | 'copied' | 'copying' | 'too often';

/**
 * Copies what is missing in the client's bucket by running the batch again: the steps find the jobs final and only
 * copy. The request is recorded first, so that only one of several concurrent requests starts a run.
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
  const now = timestamp(ports.clock());
  if (findFailure(batch, state, now) === null) {
    // The process that recorded the request may have died before it started the run. Starting is safe to repeat.
    if (state.requests > 0) await ports.runner.startCopies(toRun(batch), state.requests);
    return { kind: 'refused', because: 'copying' };
  }
  if (state.requests >= LIMITS.copyRequestsPerBatch) {
    return { kind: 'refused', because: 'too often' };
  }
  await weigh(batch.total_jobs);
  const requested = await ports.copies.requestCopies(batch.batch_id, state.requests, now);
  if (requested === 'unchanged') return { kind: 'refused', because: 'copying' };
  await ports.runner.startCopies(toRun(batch), state.requests + 1);
  return { kind: 'requested', batch };
}
