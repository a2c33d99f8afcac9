import {
  type Allowance,
  type Amount,
  type Charge,
  dayOf,
  readAllowance,
  type TenantQuotaPorts,
} from '../admission/quota.ts';
import { addSeconds, type Clock, SECONDS_PER_DAY, timestamp } from '../clock.ts';
import { type BatchId, newBatchId } from '../identity.ts';
import { isRetryable, type JobStore } from '../job/job.ts';
import { entryAt, type JobRequests } from '../job/job-requests.ts';
import type { StoredJob } from '../job/requested-job.ts';
import { RETRY_DAYS } from '../limits.ts';
import { TransientFailure } from '../step-failure.ts';
import { type Batch, type BatchStore, isFinal, newBatch, type Webhook } from './batch.ts';
import { readOwnedBatch } from './owned-batch.ts';
import {
  areSameIndexes,
  buildRetryClaim,
  claimedJobs,
  type FailedJob,
  failedJobs,
  type RetryClaim,
  type RetrySelection,
  selectFailedJobs,
} from './retry-selection.ts';

export interface RetryBatchPorts extends TenantQuotaPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'readMetadata' | 'create' | 'claimRetry'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly jobRequests: Pick<JobRequests, 'jobs' | 'entries' | 'write'>;
  /** Starts the batch, or queues it. Safe to repeat. */
  readonly dispatch: (batch: Batch) => Promise<unknown>;
  readonly clock: Clock;
  readonly retentionDays: number;
  /** Called when dispatching failed. The new batch is stored, and the reconciler dispatches it. */
  readonly onDispatchFailure: (batchId: BatchId, error: unknown) => void;
}

export type Retry =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly because: Refusal }
  /** The selection contains an index that the batch does not have. */
  | { readonly kind: 'job-unknown'; readonly position: number; readonly totalJobs: number }
  /** The batch `by` already retries another selection of the jobs. */
  | { readonly kind: 'retried'; readonly by: BatchId; readonly jobs: readonly number[] }
  | { readonly kind: 'over-quota'; readonly wanted: Amount; readonly allowance: Allowance }
  | {
      readonly kind: 'accepted';
      readonly batch: Batch;
      readonly allowance: Allowance;
      /** The number of retried jobs that failed for a permanent reason, such as an invalid polygon. */
      readonly nonRetryable: number;
    };

export type Refusal = 'not finished' | 'nothing failed' | 'nothing selected' | 'too old';

const EVERY_FAILED_JOB: RetrySelection = { only: 'failed', jobs: null };

/**
 * Creates a new batch from the failed jobs of a finished one, because a final state never changes. The new ID and its
 * jobs are first recorded on the original batch, so that repeated and concurrent requests return the same batch.
 * @throws TransientFailure if concurrent requests for other jobs leave it undecided which request wins
 */
export async function retryBatch(
  ports: RetryBatchPorts,
  tenant: string,
  batchId: string,
  selection: RetrySelection = EVERY_FAILED_JOB,
): Promise<Retry> {
  const original = await readOwnedBatch(ports, tenant, batchId);
  if (original === null) return { kind: 'unknown' };
  const { total_jobs: totalJobs } = original;
  const position = selection.jobs?.findIndex((index) => index >= totalJobs) ?? -1;
  if (position >= 0) return { kind: 'job-unknown', position, totalJobs };
  if (!isFinal(original)) return { kind: 'refused', because: 'not finished' };
  const failed = failedJobs(await ports.jobs.list(original.batch_id));
  if (failed.length === 0) return { kind: 'refused', because: 'nothing failed' };
  const chosen = selectFailedJobs(failed, selection);
  if (chosen.length === 0) return { kind: 'refused', because: 'nothing selected' };

  const now = ports.clock();
  const wanted = buildRetryClaim(newBatchId(now), chosen, failed);
  const claim = await claimRetryBatch(ports, original, wanted, failed);
  const jobs = claimedJobs(claim, failed);
  const isOwn = areSameIndexes(jobs, claimedJobs(wanted, failed));
  const known = await ports.batches.readBatch(claim.batchId);
  if (!isOwn && known === null) {
    throw new TransientFailure(
      `a retry of other jobs, batch ${claim.batchId}, was requested but not created yet`,
    );
  }
  if (!isOwn) return { kind: 'retried', by: claim.batchId, jobs };
  if (known !== null) return dispatchRetry(ports, known, chosen);
  if (addSeconds(original.completed_at, RETRY_DAYS * SECONDS_PER_DAY) <= timestamp(now)) {
    return { kind: 'refused', because: 'too old' };
  }
  return createRetry(ports, original, claim.batchId, chosen);
}

/**
 * Returns the retry recorded on the batch. A recorded retry of other jobs is replaced if it was not created, for example
 * because the quota was used up.
 */
async function claimRetryBatch(
  { batches }: RetryBatchPorts,
  { batch_id: batchId }: Batch,
  wanted: RetryClaim,
  failed: readonly FailedJob[],
): Promise<RetryClaim> {
  const recorded = await batches.claimRetry(batchId, wanted);
  const same = areSameIndexes(claimedJobs(recorded, failed), claimedJobs(wanted, failed));
  if (same || (await batches.readBatch(recorded.batchId)) !== null) return recorded;
  return batches.claimRetry(batchId, wanted, recorded.batchId);
}

async function createRetry(
  ports: RetryBatchPorts,
  original: Batch,
  retryId: BatchId,
  failed: readonly FailedJob[],
): Promise<Retry> {
  const [jobOf, entries, metadata] = await Promise.all([
    ports.jobRequests.jobs(original.batch_id),
    ports.jobRequests.entries(original.batch_id),
    ports.batches.readMetadata(original.batch_id),
  ]);
  const jobs = failed.map(({ index }): StoredJob => {
    const { offset, length, ...head } = entryAt(entries, original.batch_id, index);
    const retryOf = { batchId: original.batch_id, index };
    return { head: { ...head, retryOf }, job: jobOf({ offset, length }) };
  });
  await ports.jobRequests.write(retryId, jobs);

  const batch = newRetryBatch(ports, original, retryId, failed.length);
  const charge = await computeCharge(ports, batch, jobs);
  const outcome = await createOrFindBatch(ports, batch, metadata, charge);
  if (outcome === null) {
    const allowance = await readAllowance(ports, batch.tenant, charge.day);
    return { kind: 'over-quota', wanted: charge.wanted, allowance };
  }
  return dispatchRetry(ports, outcome, failed);
}

function newRetryBatch(
  { clock, retentionDays }: RetryBatchPorts,
  original: Batch,
  batchId: BatchId,
  totalJobs: number,
): Batch {
  const { batch_id, tenant, name, model, webhook, destination, hectares_per_job } = original;
  return newBatch(
    {
      batch_id: batchId,
      tenant,
      ...(name === undefined ? {} : { name }),
      total_jobs: totalJobs,
      model,
      webhook: webhook === null ? null : withOriginalSecret(webhook, batch_id),
      ...(destination === undefined ? {} : { destination }),
      // The jobs were charged under this limit.
      hectares_per_job,
      retry_of: batch_id,
    },
    clock(),
    retentionDays,
  );
}

/** Copies the ciphertext, because the retry operation has no permission to decrypt it. */
function withOriginalSecret(webhook: Webhook, batchId: BatchId): Webhook {
  if (webhook.secret_ciphertext === null) return webhook;
  return { ...webhook, sealed_for: webhook.sealed_for ?? batchId };
}

/** Computes the charge of a retry: the full charge of its jobs, whether or not their failures were refunded. */
async function computeCharge(
  ports: RetryBatchPorts,
  { tenant, created_at }: Batch,
  jobs: readonly StoredJob[],
): Promise<Charge> {
  const day = dayOf(created_at);
  const { limit } = await readAllowance(ports, tenant, day);
  const squareMetres = jobs.reduce((sum, { head }) => sum + head.chargedSquareMetres, 0);
  return { day, limit, wanted: { jobs: jobs.length, squareMetres }, idempotency: null };
}

/** Returns null if the tenant's quota is exceeded. A concurrent request may have created the same batch. */
async function createOrFindBatch(
  { batches }: RetryBatchPorts,
  batch: Batch,
  metadata: string | null,
  charge: Charge,
): Promise<Batch | null> {
  try {
    const outcome = await batches.create(batch, metadata, charge);
    if (outcome === 'created') return batch;
  } catch (error) {
    const known = await batches.readBatch(batch.batch_id);
    if (known === null) throw error;
    return known;
  }
  return batches.readBatch(batch.batch_id);
}

/** Dispatching is safe to repeat, so a repeated request completes a retry that died before this step. */
async function dispatchRetry(
  ports: RetryBatchPorts,
  batch: Batch,
  failed: readonly FailedJob[],
): Promise<Retry> {
  await ports
    .dispatch(batch)
    .catch((error: unknown) => ports.onDispatchFailure(batch.batch_id, error));
  const allowance = await readAllowance(ports, batch.tenant, dayOf(timestamp(ports.clock())));
  const nonRetryable = failed.filter(({ code }) => !isRetryable(code)).length;
  return { kind: 'accepted', batch, allowance, nonRetryable };
}
