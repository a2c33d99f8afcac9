import * as z from 'zod/mini';
import { type Batch, type BatchStore, isFinal } from '../batch/batch.ts';
import { addSeconds, type Clock, SECONDS_PER_DAY, type Timestamp, timestamp } from '../clock.ts';
import { jobIdOf, type NamedRun } from '../identity.ts';
import { RUN_DAYS } from '../limits.ts';
import type { ViewOf } from '../wire.ts';
import {
  type CopyState,
  type CopyStore,
  type DestinationFailure,
  destinationKeys,
  formatUri,
} from './destination.ts';
import { explainFailure } from './failure-text.ts';

/** A copy in the client's bucket: of a job's result, or of a whole batch. */
export const copyStatus = z.strictObject({
  status: z.enum(['pending', 'copied', 'failed']),
  uri: z
    .string()
    .check(z.describe('`s3://` URI of the raster or, for a whole batch, of its folder')),
  error: z.nullable(z.string()).check(z.describe('Why copying failed; null unless `failed`')),
});

/** The `destination` field of a batch or job; absent without a destination, and for failed jobs. */
export interface CopyView {
  readonly destination?: ViewOf<typeof copyStatus>;
}

export interface CopyViews {
  readonly batch: CopyView;
  readonly viewJob: (index: number, jobStatus: string) => CopyView;
}

export const NO_COPIES: CopyViews = { batch: {}, viewJob: () => ({}) };

export interface CopyViewsPorts {
  readonly copies: Pick<CopyStore, 'readCopies'>;
  readonly clock: Clock;
}

/** Reads nothing for a batch without a destination. */
export async function readCopyViews(
  { copies, clock }: CopyViewsPorts,
  batch: Batch,
): Promise<CopyViews> {
  const { destination, batch_id: batchId } = batch;
  if (destination === undefined) return NO_COPIES;
  const state = await copies.readCopies(batchId);
  const failure = findFailure(batch, state, timestamp(clock()));
  const keys = destinationKeys(destination, batchId);
  const view = (key: string, isCopied: boolean): CopyView => {
    const uri = formatUri(destination, key);
    if (isCopied) return { destination: { status: 'copied', uri, error: null } };
    if (failure === null) return { destination: { status: 'pending', uri, error: null } };
    return { destination: { status: 'failed', uri, error: explainFailure(failure) } };
  };
  return {
    batch: view(`${keys.folder}/`, state.complete),
    viewJob: (index, jobStatus) =>
      jobStatus === 'failed'
        ? {}
        : view(keys.raster(jobIdOf(batchId, index)), state.copied.has(index)),
  };
}

const INTERRUPTED: DestinationFailure = { step: 'interrupted', code: '' };

/** Returns null while a run may copy, and once everything is copied. */
function findFailure(
  batch: Batch,
  { failure, complete, requestedAt }: CopyState,
  now: Timestamp,
): DestinationFailure | null {
  if (failure !== null || complete || !isFinal(batch)) return failure;
  // If the event of the run's end was lost, only the run's timeout proves that the run has ended.
  const timedOutAt = addSeconds(requestedAt ?? batch.completed_at, RUN_DAYS * SECONDS_PER_DAY);
  return timedOutAt > now ? null : INTERRUPTED;
}

export interface EndedRunPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly copies: Pick<CopyStore, 'recordFailure'>;
}

/**
 * Records that nothing more is copied, because the run has ended. Has no effect if everything is copied, a failure is
 * recorded, or the client has since requested the missing results.
 * @param requests the number of the request that started the run; 0 for the batch's own run
 */
export async function recordInterruption(
  { copies }: Pick<EndedRunPorts, 'copies'>,
  { batch_id: batchId, destination }: Batch,
  requests = 0,
): Promise<void> {
  if (destination !== undefined) await copies.recordFailure(batchId, INTERRUPTED, requests);
}

/**
 * Records that an ended run copies nothing more. The end of a batch's run does not count if the run was restarted or
 * the batch is unfinished.
 */
export async function recordEndedRun(
  ports: EndedRunPorts,
  { batchId, kind, number }: NamedRun,
): Promise<void> {
  const batch = await ports.batches.readBatch(batchId);
  if (batch === null || !isFinal(batch)) return;
  if (kind === 'copies') return recordInterruption(ports, batch, number);
  if (number === (batch.restarts ?? 0)) await recordInterruption(ports, batch);
}
