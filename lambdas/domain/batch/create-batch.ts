import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Idempotency, KnownCreation } from '../admission/idempotency.ts';
import {
  type Allowance,
  type Amount,
  addAmounts,
  dayOf,
  fits,
  NOTHING,
  readAllowance,
  remainingOf,
  type Wanted,
} from '../admission/quota.ts';
import { timestamp } from '../clock.ts';
import type { WebhookSecrets } from '../delivery/signature.ts';
import type { Destination, DestinationCheck } from '../destination/destination.ts';
import { describeFailure, FAULTY_FIELDS } from '../destination/failure-text.ts';
import { type BatchId, newBatchId } from '../identity.ts';
import type { JobRequests } from '../job/job-requests.ts';
import { measureJobArea } from '../job/planning/resolve-job.ts';
import { jobGeometry, type StoredJob, storedJob } from '../job/requested-job.ts';
import { TransientFailure } from '../step-failure.ts';
import { type Batch, type BatchStore, newBatch, type Webhook } from './batch.ts';
import type { CreationContext, CreationContextPorts } from './creation-context.ts';
import {
  findLimitViolations,
  type RequestedBatch,
  type RequestedWebhook,
  type Violation,
} from './requested-batch.ts';

export interface CreateBatchPorts extends CreationContextPorts {
  readonly batches: Pick<BatchStore, 'create' | 'readBatch'>;
  readonly jobRequests: Pick<JobRequests, 'write'>;
  /** Starts the batch, or queues it. Safe to repeat. */
  readonly dispatch: (batch: Batch) => Promise<unknown>;
  readonly webhookSecrets: Pick<WebhookSecrets, 'encrypt'>;
  readonly destinationCheck: DestinationCheck;
  /** Needed to calculate areas, because a job outside the coverage of every model is charged nothing. */
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly retentionDays: number;
  /**
   * Called when a step after storing the batch failed. If the batch was not dispatched, the reconciler dispatches it.
   */
  readonly onDispatchFailure: (batchId: BatchId, error: unknown) => void;
}

/** The same for every repeat of a creation. */
export type Receipt = Pick<Batch, 'batch_id' | 'created_at' | 'total_jobs'>;

export type Creation =
  | { readonly kind: 'created'; readonly receipt: Receipt; readonly allowance: Allowance }
  /** The same request was made before with the same idempotency key. */
  | { readonly kind: 'repeated'; readonly receipt: Receipt; readonly allowance: Allowance }
  /** A different request was made with the idempotency key. */
  | { readonly kind: 'key-reused'; readonly batchId: BatchId; readonly allowance: Allowance }
  | { readonly kind: 'over-quota'; readonly wanted: Wanted; readonly allowance: Allowance }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };

interface PendingCreation {
  readonly context: CreationContext;
  readonly requested: RequestedBatch;
  readonly idempotency: Idempotency | null;
}

/**
 * Stores the batch in a fixed number of writes, then dispatches it. The jobs are written first, but are not visible
 * before the transaction. Counts are checked before polygons, because validating polygons is most of the work.
 * @throws TransientFailure if a later attempt may succeed
 */
export async function createBatch(
  ports: CreateBatchPorts,
  context: CreationContext,
  requested: RequestedBatch,
  idempotency: Idempotency | null,
): Promise<Creation> {
  const pending = { context, requested, idempotency };
  if (context.known !== null && idempotency !== null) {
    return replayOrConflict(ports, pending, idempotency, context.known);
  }
  const { jobs } = requested;
  const violations = findLimitViolations(requested);
  if (violations.length > 0) return { kind: 'refused', violations };

  // This check only saves work: the transaction's condition decides.
  const { allowance, limits } = context.tenantQuota;
  const remaining = remainingOf(allowance);
  if (jobs.length > remaining.jobs) {
    return {
      kind: 'over-quota',
      wanted: { jobs: jobs.length, squareMetres: null },
      allowance,
    };
  }
  const { hectaresPerJob } = limits;
  const prepared = prepareJobs(await ports.catalogue(), requested, hectaresPerJob);
  const wanted = {
    jobs: jobs.length,
    squareMetres: prepared.reduce((sum, { head }) => sum + head.chargedSquareMetres, 0),
  };
  if (!fits(wanted, remaining)) return { kind: 'over-quota', wanted, allowance };
  if (requested.destination !== null) {
    const refused = await checkDestination(ports, context.tenant, requested.destination);
    if (refused !== null) return { kind: 'refused', violations: [refused] };
  }
  return storeAndDispatch(ports, pending, prepared, {
    wanted,
    limit: allowance.limit,
    hectaresPerJob,
  });
}

interface Terms {
  readonly wanted: Amount;
  readonly limit: Amount;
  readonly hectaresPerJob: number;
}

async function storeAndDispatch(
  ports: CreateBatchPorts,
  pending: PendingCreation,
  jobs: readonly StoredJob[],
  { hectaresPerJob, ...quota }: Terms,
): Promise<Creation> {
  const { requested, idempotency } = pending;
  const { tenant, now } = pending.context;
  const batchId = newBatchId(now);
  const [webhook] = await Promise.all([
    requested.webhook === null
      ? null
      : encryptWebhook(ports, requested.webhook, { tenant, batchId }),
    ports.jobRequests.write(batchId, jobs),
  ]);
  const { name, model, destination } = requested;
  const batch = newBatch(
    {
      batch_id: batchId,
      tenant,
      ...(name === null ? {} : { name }),
      total_jobs: jobs.length,
      model,
      webhook,
      ...(destination === null ? {} : { destination }),
      hectares_per_job: hectaresPerJob,
    },
    now,
    ports.retentionDays,
  );
  const day = dayOf(batch.created_at);
  const charge = { ...quota, day, idempotency };
  const outcome = await ports.batches.create(batch, requested.metadata, charge);
  switch (outcome) {
    case 'created':
      return {
        kind: 'created',
        ...(await dispatchAndIssueReceipt(ports, pending, batch, batch, quota.wanted)),
      };
    case 'over-quota': {
      const allowance = await rereadAllowance(ports, pending);
      return { kind: 'over-quota', wanted: quota.wanted, allowance };
    }
    case 'key-taken': {
      const known = idempotency && (await ports.idempotencyKeys.find(tenant, idempotency.key));
      if (!known) throw new TransientFailure('the idempotency key has just expired');
      return replayOrConflict(ports, pending, idempotency, known);
    }
  }
}

async function replayOrConflict(
  ports: CreateBatchPorts,
  pending: PendingCreation,
  { digest }: Idempotency,
  known: KnownCreation,
): Promise<Extract<Creation, { kind: 'repeated' | 'key-reused' }>> {
  const { batchId, createdAt } = known;
  if (known.digest !== digest) {
    return { kind: 'key-reused', batchId, allowance: await rereadAllowance(ports, pending) };
  }
  // An equal request has the same number of jobs.
  const receipt = {
    batch_id: batchId,
    created_at: createdAt,
    total_jobs: pending.requested.jobs.length,
  };
  const batch = await ports.batches.readBatch(batchId).catch((error: unknown) => {
    ports.onDispatchFailure(batchId, error);
    return null;
  });
  return {
    kind: 'repeated',
    ...(await dispatchAndIssueReceipt(ports, pending, receipt, batch, NOTHING)),
  };
}

/**
 * Dispatches the batch and returns its receipt. A repeat dispatches too, which completes a creation that died before
 * this step. Failures are reported and not thrown, because the batch is stored, and a client that gets an error may
 * create another.
 */
async function dispatchAndIssueReceipt(
  ports: CreateBatchPorts,
  pending: PendingCreation,
  { batch_id, created_at, total_jobs }: Receipt,
  batch: Batch | null,
  charged: Amount,
): Promise<{ readonly receipt: Receipt; readonly allowance: Allowance }> {
  const reportFailure = (error: unknown) => ports.onDispatchFailure(batch_id, error);
  const before = pending.context.tenantQuota.allowance;
  const [allowance] = await Promise.all([
    rereadAllowance(ports, pending).catch((error: unknown) => {
      reportFailure(error);
      return { ...before, used: addAmounts(before.used, charged) };
    }),
    batch === null ? null : ports.dispatch(batch).catch(reportFailure),
  ]);
  return { receipt: { batch_id, created_at, total_jobs }, allowance };
}

function rereadAllowance(
  ports: CreateBatchPorts,
  { context }: PendingCreation,
): Promise<Allowance> {
  return readAllowance(ports, context.tenant, dayOf(timestamp(context.now)));
}

function prepareJobs(
  catalogue: PackCatalogue,
  requested: RequestedBatch,
  hectaresPerJob: number,
): readonly StoredJob[] {
  return requested.jobs.map((job) => {
    const geometry = jobGeometry(job.polygon);
    const model = job.model ?? requested.model;
    const area = measureJobArea(catalogue, { geometry, year: job.year, model, hectaresPerJob });
    return storedJob(job, geometry, area);
  });
}

async function encryptWebhook(
  ports: CreateBatchPorts,
  { url, secret, jobs }: RequestedWebhook,
  owner: { readonly tenant: string; readonly batchId: BatchId },
): Promise<Webhook> {
  const secret_ciphertext =
    secret === null ? null : await ports.webhookSecrets.encrypt(secret, owner);
  return { url, secret_ciphertext, jobs };
}

/** Called after all other checks, because it calls AWS in the client's account. */
async function checkDestination(
  { destinationCheck }: CreateBatchPorts,
  tenant: string,
  destination: Destination,
): Promise<Violation | null> {
  const failure = await destinationCheck.checkDestination({ ...destination, tenant });
  if (failure === null) return null;
  const pointer = `/destination/${FAULTY_FIELDS[failure.step]}`;
  return { pointer, message: describeFailure(failure) };
}
