import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { admit, type Violation } from '../admission/admit.ts';
import { areaOf } from '../admission/charged-area.ts';
import type { Idempotency, KnownCreation } from '../admission/idempotency.ts';
import {
  type Allowance,
  type Amount,
  dayOf,
  fits,
  remainingOf,
  type Wanted,
} from '../admission/quota.ts';
import { readAllowance } from '../admission/tenant-quota.ts';
import { addSeconds, SECONDS_PER_DAY, type Timestamp, timestamp } from '../clock.ts';
import type { WebhookSecrets } from '../delivery/webhook-secrets.ts';
import { type BatchId, newBatchId } from '../identity.ts';
import type { JobEntry, JobRequests } from '../job/job-requests.ts';
import { TransientFailure } from '../transient-failure.ts';
import type { Batch, Webhook } from './batch.ts';
import type { BatchOrder, WebhookOrder } from './batch-order.ts';
import type { BatchStore } from './batch-store.ts';
import type { CreationContext, CreationContextPorts } from './creation-context.ts';

export interface CreateBatchPorts extends CreationContextPorts {
  readonly batches: Pick<BatchStore, 'create' | 'read'>;
  readonly jobRequests: Pick<JobRequests, 'write'>;
  /** Starts the batch, or lets it wait for its turn; again changes nothing. */
  readonly dispatch: (batch: Batch) => Promise<unknown>;
  readonly webhookSecrets: Pick<WebhookSecrets, 'encrypt'>;
  /** What areas are judged by: a job outside every model's coverage counts none. */
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly retentionDays: number;
  /** Called for a dispatch that failed; the batch is there and the reconciler will dispatch it. */
  readonly onDispatchFailure: (batchId: BatchId, error: unknown) => void;
}

/** What the client is told of its batch; the same for every repeat. */
export interface Receipt {
  readonly batchId: BatchId;
  readonly createdAt: Timestamp;
  readonly totalJobs: number;
}

export type Creation =
  | { readonly kind: 'created'; readonly receipt: Receipt; readonly allowance: Allowance }
  /** The same request under the same idempotency key came before. */
  | { readonly kind: 'repeated'; readonly receipt: Receipt; readonly allowance: Allowance }
  /** Another request has the idempotency key. */
  | { readonly kind: 'key-reused'; readonly batchId: BatchId; readonly allowance: Allowance }
  | { readonly kind: 'over-quota'; readonly wanted: Wanted; readonly allowance: Allowance }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };

/** One creation, on its way. */
interface Attempt {
  readonly context: CreationContext;
  readonly order: BatchOrder;
  readonly idempotency: Idempotency | null;
}

/**
 * Stores the batch in a number of writes that does not depend on its jobs, then dispatches it. The
 * text goes first: until the transaction, nothing of the batch is visible to anybody. What can be
 * refused by a count is refused before any polygon is judged, which is nearly all the work.
 * @throws TransientFailure when the tenant's other creations kept winning
 */
export async function createBatch(
  ports: CreateBatchPorts,
  context: CreationContext,
  order: BatchOrder,
  idempotency: Idempotency | null,
): Promise<Creation> {
  const attempt = { context, order, idempotency };
  if (context.known !== null && idempotency !== null) {
    return creationBefore(ports, attempt, idempotency, context.known);
  }
  const { entries } = order.jobs;
  const violations = admit(order);
  if (violations.length > 0) return { kind: 'refused', violations };

  // These spare work: the transaction's own condition is what decides.
  const { allowance, limits } = context.tenantQuota;
  const left = remainingOf(allowance);
  if (entries.length > left.jobs) {
    return {
      kind: 'over-quota',
      wanted: { jobs: entries.length, squareMetres: null },
      allowance,
    };
  }
  const { hectaresPerJob } = limits;
  const chargedEntries = charged(await ports.catalogue(), order, hectaresPerJob);
  const wanted = {
    jobs: entries.length,
    squareMetres: chargedEntries.reduce(
      (sum, { chargedSquareMetres }) => sum + chargedSquareMetres,
      0,
    ),
  };
  if (!fits(wanted, left)) return { kind: 'over-quota', wanted, allowance };
  return store(ports, attempt, chargedEntries, { wanted, limit: allowance.limit, hectaresPerJob });
}

/** What the batch is made under, as its tenant's limits are now. */
interface Terms {
  readonly wanted: Amount;
  readonly limit: Amount;
  readonly hectaresPerJob: number;
}

async function store(
  ports: CreateBatchPorts,
  attempt: Attempt,
  entries: readonly JobEntry[],
  { hectaresPerJob, ...quota }: Terms,
): Promise<Creation> {
  const { order, idempotency } = attempt;
  const { tenant, now } = attempt.context;
  const batchId = newBatchId(now);
  const [webhook] = await Promise.all([
    order.webhook === null ? null : sealed(ports, order.webhook, { tenant, batchId }),
    ports.jobRequests.write(batchId, order.jobs.text, entries),
  ]);
  const batch = { ...newBatch(ports, attempt, batchId, webhook), hectaresPerJob };
  const day = dayOf(batch.createdAt);
  const claim = { ...quota, day, idempotency };
  const outcome = await ports.batches.create(batch, order.metadata, claim);
  switch (outcome) {
    case 'created':
      return { kind: 'created', ...(await dispatched(ports, attempt, batch, async () => batch)) };
    case 'over-quota': {
      const allowance = await allowanceAt(ports, attempt);
      return { kind: 'over-quota', wanted: quota.wanted, allowance };
    }
    case 'key-taken': {
      const known = idempotency && (await ports.idempotencyKeys.find(tenant, idempotency.key));
      if (!known) throw new TransientFailure('the idempotency key ended just now');
      return creationBefore(ports, attempt, idempotency, known);
    }
  }
}

function newBatch(
  { retentionDays }: CreateBatchPorts,
  { context: { tenant, now }, order }: Attempt,
  batchId: BatchId,
  webhook: Webhook | null,
): Batch {
  const createdAt = timestamp(now);
  return {
    batchId,
    tenant,
    totalJobs: order.jobs.entries.length,
    model: order.model,
    webhook,
    createdAt,
    updatedAt: createdAt,
    resultsExpireAt: addSeconds(createdAt, retentionDays * SECONDS_PER_DAY),
    state: { status: 'pending' },
  };
}

/** The creation that this one repeats, or whose key it takes for another. */
async function creationBefore(
  ports: CreateBatchPorts,
  attempt: Attempt,
  { digest }: Idempotency,
  known: KnownCreation,
): Promise<Extract<Creation, { kind: 'repeated' | 'key-reused' }>> {
  const { batchId, createdAt } = known;
  if (known.digest !== digest) {
    return { kind: 'key-reused', batchId, allowance: await allowanceAt(ports, attempt) };
  }
  // An equal request has as many jobs.
  const receipt = { batchId, createdAt, totalJobs: attempt.order.jobs.entries.length };
  const read = () => ports.batches.read(batchId);
  return { kind: 'repeated', ...(await dispatched(ports, attempt, receipt, read)) };
}

/** Dispatches the batch; a repeat does too, and so takes up a creation that died before this. */
async function dispatched(
  ports: CreateBatchPorts,
  attempt: Attempt,
  { batchId, createdAt, totalJobs }: Receipt,
  read: () => Promise<Batch | null>,
): Promise<{ readonly receipt: Receipt; readonly allowance: Allowance }> {
  const dispatch = async () => {
    const batch = await read();
    if (batch !== null) await ports.dispatch(batch);
  };
  const [allowance] = await Promise.all([
    allowanceAt(ports, attempt),
    dispatch().catch((error: unknown) => ports.onDispatchFailure(batchId, error)),
  ]);
  return { receipt: { batchId, createdAt, totalJobs }, allowance };
}

function allowanceAt(ports: CreateBatchPorts, { context }: Attempt): Promise<Allowance> {
  return readAllowance(ports, context.tenant, dayOf(timestamp(context.now)));
}

function charged(
  catalogue: PackCatalogue,
  order: BatchOrder,
  hectaresPerJob: number,
): readonly JobEntry[] {
  return order.jobs.entries.map(({ polygon, ...entry }) => ({
    ...entry,
    ...areaOf(catalogue, {
      polygon,
      year: entry.year,
      model: entry.model ?? order.model,
      hectaresPerJob,
    }),
  }));
}

async function sealed(
  ports: CreateBatchPorts,
  { url, secret, jobs }: WebhookOrder,
  owner: { readonly tenant: string; readonly batchId: BatchId },
): Promise<Webhook> {
  const secretCiphertext =
    secret === null ? null : await ports.webhookSecrets.encrypt(secret, owner);
  return { url, secretCiphertext, jobs };
}
