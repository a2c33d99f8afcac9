import { v5 } from 'uuid';
import { mapInParallel } from '#engine/concurrency/in-parallel.ts';
import { type BatchTimes, measureTimes } from '../admission/batch-times.ts';
import { type Amount, dayOf, type Refund } from '../admission/quota.ts';
import { type Clock, millisecondsBetween, type Timestamp, timestamp } from '../clock.ts';
import type { BatchWork } from '../cost/batch-usage.ts';
import { actualWork } from '../cost/job-work.ts';
import type { BusEvent } from '../delivery/bus-outbox.ts';
import { type OutboxEvent, type RequestAttemptPorts, requestAttempt } from '../delivery/outbox.ts';
import { type BatchId, jobIdOf } from '../identity.ts';
import type { RasterCleanup } from '../job/finishing/rasters.ts';
import {
  isServiceFault,
  type JobError,
  type JobErrorCode,
  type JobRecord,
  type JobStore,
} from '../job/job.ts';
import type { JobRequests } from '../job/job-requests.ts';
import { TransientFailure } from '../step-failure.ts';
import {
  type BatchPredictionErrors,
  decodePredictionErrors,
  encodePredictionErrors,
  type JobPredictionErrors,
} from '../total/prediction-errors.ts';
import {
  type Batch,
  type BatchStore,
  decideFinalStatus,
  type FinalBatchStatus,
  isFinal,
} from './batch.ts';
import { countJobs, type JobCounts, lastChange } from './batch-progress.ts';
import { computeDisplayRanges } from './display-ranges.ts';
import { CANCELLED } from './termination-errors.ts';

export interface FinishBatchPorts extends RequestAttemptPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'finish'>;
  readonly jobs: Pick<JobStore, 'list' | 'fail'>;
  readonly jobRequests: Pick<JobRequests, 'entries'>;
  readonly rasters: RasterCleanup;
  readonly jobPredictionErrors: JobPredictionErrors;
  readonly batchPredictionErrors: BatchPredictionErrors;
  readonly clock: Clock;
  readonly publishesEvents: boolean;
}

export type DeliveryRequest = 'none' | 'queued' | 'left-to-reconciler';

export type BatchFinish =
  | {
      readonly kind: 'finished';
      readonly tenant: string;
      readonly status: FinalBatchStatus;
      readonly counts: JobCounts;
      readonly delivery: DeliveryRequest;
      /** The time since the batch was created. */
      readonly seconds: number;
      /** The number of jobs that failed because they were unfinished when the batch ended. */
      readonly leftBehind: number;
      readonly leftBehindAs: JobErrorCode;
      readonly work: BatchWork;
      /** Null if the batch's times cannot serve to estimate those of other batches. */
      readonly times: BatchTimes | null;
    }
  | {
      readonly kind: 'already-final';
      readonly tenant: string;
      readonly delivery: DeliveryRequest;
    }
  | { readonly kind: 'unknown' };

const WRITES_AT_ONCE = 25;

/** The default error of jobs that are unfinished when their batch ends. */
const LEFT_BEHIND: JobError = {
  code: 'internal',
  message: 'The job did not finish, because its run was stopped or lost. Send the job again.',
  location: null,
};

/** Gives a batch its final state, once, together with its webhook event. */
export async function finishBatch(
  ports: FinishBatchPorts,
  batchId: BatchId,
  unfinished: JobError = LEFT_BEHIND,
): Promise<BatchFinish> {
  const batch = await ports.batches.readBatch(batchId);
  if (batch === null) return { kind: 'unknown' };
  if (isFinal(batch)) {
    const event = completionEvent(batch, batch.completed_at);
    const delivery = await requestDelivery(ports, batch, event);
    return { kind: 'already-final', tenant: batch.tenant, delivery };
  }

  const reason = batch.cancel_requested_at === undefined ? unfinished : CANCELLED;
  const leftBehind = await failUnfinishedJobs(ports, batch, reason);
  const jobs = await ports.jobs.list(batchId);
  const counts = countJobs(batch.total_jobs, jobs);
  if (counts.pending > 0)
    throw new TransientFailure(`the batch still has jobs that are not final: ${counts.pending}`);
  // Clean up before the batch is final, so that a repeat cleans up again if this process dies.
  await cleanUpRasters(ports.rasters, batchId, jobs);
  await keepPredictionErrors(ports, batchId, jobs);

  const completedAt = timestamp(ports.clock());
  const status = decideFinalStatus(counts);
  const event = completionEvent(batch, completedAt);
  const refund = await refundFor(ports, batch, jobs);
  const busEvent = createBusEvent(batchId, completedAt);
  const outcome = {
    status,
    completed_at: completedAt,
    completed_jobs: counts.completed,
    updated_at: lastChange(completedAt, jobs),
    display_ranges: computeDisplayRanges(jobs),
    ...(ports.publishesEvents ? { busEvent } : {}),
  };
  const finished = await ports.batches.finish(batchId, outcome, event, refund);
  const delivery = await requestDelivery(ports, batch, event);
  if (finished === 'already-final')
    return { kind: 'already-final', tenant: batch.tenant, delivery };
  const seconds = millisecondsBetween(batch.created_at, completedAt) / 1000;
  return {
    kind: 'finished',
    tenant: batch.tenant,
    status,
    counts,
    delivery,
    seconds,
    leftBehind,
    leftBehindAs: reason.code,
    work: collectWork(batch, jobs),
    times: measureTimes(batch, jobs, completedAt),
  };
}

function collectWork(
  { webhook, created_at, results_expire_at }: Batch,
  jobs: readonly JobRecord[],
): BatchWork {
  return {
    jobs: jobs.map(actualWork),
    webhook: webhook !== null,
    retentionDays: (Date.parse(results_expire_at) - Date.parse(created_at)) / 86_400_000,
  };
}

async function failUnfinishedJobs(
  { jobs, clock }: FinishBatchPorts,
  { batch_id: batchId, total_jobs }: Batch,
  error: JobError,
): Promise<number> {
  const records = await jobs.list(batchId);
  const final = new Set(
    records.filter(({ status }) => status !== 'processing').map(({ job_index }) => job_index),
  );
  const open = Array.from({ length: total_jobs }, (_, index) => index).filter(
    (index) => !final.has(index),
  );
  const failed = await mapInParallel(open, WRITES_AT_ONCE, (index) =>
    jobs.fail(batchId, index, error, timestamp(clock())),
  );
  return failed.filter((transition) => transition === 'changed').length;
}

/** Returns null for a batch without a webhook. */
function completionEvent(
  { batch_id: batchId, webhook }: Batch,
  completedAt: string,
): OutboxEvent | null {
  if (webhook === null) return null;
  return {
    batch_id: batchId,
    event: 'batch.completed',
    // The event ID depends on the time. If the table is restored to a time before the end of the batch, the batch ends
    // again, and its event gets a new body.
    event_id: v5(`batch.completed ${completedAt}`, batchId),
    state: 'due',
    attempts: 0,
    next_attempt_at: completedAt,
  };
}

function createBusEvent(batchId: BatchId, at: Timestamp): BusEvent {
  return { batchId, eventId: v5('batch.finished', batchId), at };
}

async function requestDelivery(
  ports: FinishBatchPorts,
  { tenant }: Batch,
  event: OutboxEvent | null,
): Promise<DeliveryRequest> {
  return event === null ? 'none' : requestAttempt(ports, event, tenant);
}

const JOBS_AT_ONCE = 8;

/**
 * Aborts the uploads of final jobs, then deletes the rasters of failed jobs; in this order, no upload can complete
 * after the deletion. Safe to repeat.
 */
async function cleanUpRasters(
  rasters: RasterCleanup,
  batchId: BatchId,
  jobs: readonly JobRecord[],
): Promise<void> {
  const jobsToCleanUp = jobs.filter(({ status, uploads = [] }) => {
    return uploads.length > (status === 'completed' ? 1 : 0);
  });
  await mapInParallel(jobsToCleanUp, JOBS_AT_ONCE, async ({ job_index, status, uploads = [] }) => {
    const jobId = jobIdOf(batchId, job_index);
    for (const upload of uploads) await rasters.abort(batchId, jobId, upload);
    if (status === 'failed') await rasters.remove(batchId, jobId);
  });
}

const ERRORS_AT_ONCE = 32;

/**
 * Joins the prediction errors of completed jobs, so that a total reads one object per batch. Safe to repeat: the jobs
 * are final, so the bytes are the same.
 */
async function keepPredictionErrors(
  { jobPredictionErrors, batchPredictionErrors }: FinishBatchPorts,
  batchId: BatchId,
  jobs: readonly JobRecord[],
): Promise<void> {
  const withInterval = jobs.filter(
    (job) => job.status === 'completed' && typeof job.summary?.level === 'number',
  );
  if (withInterval.length === 0) return;
  const read = await mapInParallel(withInterval, ERRORS_AT_ONCE, ({ job_index }) =>
    jobPredictionErrors.read(batchId, job_index),
  );
  const joined = encodePredictionErrors(read.flatMap(decodePredictionErrors));
  await batchPredictionErrors.write(batchId, joined);
}

/** Null if no failure is refunded. The refund is credited to the day that was charged, even if that day is over. */
export async function refundFor(
  { jobRequests }: { readonly jobRequests: Pick<JobRequests, 'entries'> },
  { batch_id: batchId, tenant, created_at }: Batch,
  jobs: readonly JobRecord[],
): Promise<Refund | null> {
  const bounded = jobs.filter(isRefundBounded);
  const ours = jobs.filter((job) => hasFailedWith(job, isServiceFault) && !isRefundBounded(job));
  if (ours.length + bounded.length === 0) return null;
  const entries = await jobRequests.entries(batchId);
  const chargeOf = (charged: readonly JobRecord[]): Amount => ({
    jobs: charged.length,
    squareMetres: charged.reduce(
      (sum, { job_index }) => sum + (entries[job_index]?.chargedSquareMetres ?? 0),
      0,
    ),
  });
  return {
    tenant,
    day: dayOf(created_at),
    amount: chargeOf(ours),
    bounded: chargeOf(bounded),
  };
}

/**
 * Whether a client can cause this failure: by cancelling, or by choosing polygons with cells whose values do not fit
 * the pack's sample type.
 */
function isRefundBounded(job: JobRecord): boolean {
  const isUnplanned = job.model === undefined;
  return hasFailedWith(
    job,
    (code) => code === 'model_invalid' || (code === 'cancelled' && isUnplanned),
  );
}

function hasFailedWith(job: JobRecord, matches: (code: JobErrorCode) => boolean): boolean {
  return job.status === 'failed' && matches(job.error.code);
}
