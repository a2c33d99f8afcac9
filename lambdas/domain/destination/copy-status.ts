import * as z from 'zod/mini';
import { type Batch, isFinal } from '../batch/batch.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import { jobIdOf } from '../identity.ts';
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
  uri: z.string().check(z.describe('`s3://` URI of the raster, or of the batch’s folder')),
  error: z.nullable(z.string()).check(z.describe('Why copying failed; null unless `failed`')),
});

/** The field of a batch or job; absent without a destination, and of a failed job. */
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

/** A run copies the next result, or the tables, within this time. */
const COPY_SECONDS = 3_600;

/** Why nothing more is copied; null while a run copies, and once everything is copied. */
export function findFailure(
  batch: Batch,
  { failure, complete, requestedAt, copiedAt }: CopyState,
  now: Timestamp,
): DestinationFailure | null {
  if (failure !== null || complete || !isFinal(batch)) return failure;
  // The run of a cancelled batch was stopped, and nothing else would record the end of a run that died.
  const begun = requestedAt ?? (batch.cancel_requested_at ? null : batch.completed_at);
  if (begun === null) return INTERRUPTED;
  const since = copiedAt !== null && copiedAt > begun ? copiedAt : begun;
  return addSeconds(since, COPY_SECONDS) > now ? null : INTERRUPTED;
}
