import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { admit, type Violation } from '../admission/admit.ts';
import { chargedSquareMetres } from '../admission/charged-area.ts';
import type { Idempotency, IdempotencyKeys } from '../admission/idempotency.ts';
import { type Allowance, type Amount, dayOf, fits, remainingOf } from '../admission/quota.ts';
import { type Standing, type StandingPorts, standingOn } from '../admission/standing.ts';
import { addSeconds, type Clock, SECONDS_A_DAY, type Timestamp, timestamp } from '../clock.ts';
import type { WebhookSecrets } from '../delivery/webhook-secrets.ts';
import { type BatchId, newBatchId } from '../identity.ts';
import type { JobEntry, JobRequests } from '../job/job-requests.ts';
import { TransientFailure } from '../transient-failure.ts';
import type { Batch, Webhook } from './batch.ts';
import type { BatchOrder, WebhookOrder } from './batch-order.ts';
import type { BatchStore } from './batch-store.ts';

export interface CreateBatchPorts extends StandingPorts {
  readonly batches: Pick<BatchStore, 'create' | 'read'>;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly jobRequests: Pick<JobRequests, 'write'>;
  /** Starts the batch, or lets it wait for its turn; again changes nothing. */
  readonly dispatch: (batch: Batch) => Promise<unknown>;
  readonly webhookSecrets: Pick<WebhookSecrets, 'encrypt'>;
  /** What areas are judged by: a job outside every model's coverage counts none. */
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly clock: Clock;
  readonly retentionDays: number;
  /** Told of a dispatch that failed; the batch is there and the reconciler will dispatch it. */
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
  | { readonly kind: 'over-quota'; readonly wanted: Amount; readonly allowance: Allowance }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };

/** One creation, on its way. */
interface Attempt {
  readonly tenant: string;
  readonly order: BatchOrder;
  readonly idempotency: Idempotency | null;
  readonly now: Date;
}

/**
 * Stores the batch in a number of writes that does not depend on its jobs, then dispatches it. The
 * text goes first: until the transaction, nothing of the batch is visible to anybody.
 * @throws TransientFailure when the tenant's other creations kept winning
 */
export async function createBatch(
  ports: CreateBatchPorts,
  tenant: string,
  order: BatchOrder,
  idempotency: Idempotency | null,
): Promise<Creation> {
  const violations = admit({
    tenant,
    jobs: order.jobs.entries.length,
    metadataBytes: order.metadata === null ? null : Buffer.byteLength(order.metadata, 'utf8'),
  });
  if (violations.length > 0) return { kind: 'refused', violations };

  const attempt = { tenant, order, idempotency, now: ports.clock() };
  const [before, { limits, allowance }] = await Promise.all([
    creationBefore(ports, attempt),
    standingAt(ports, attempt),
  ]);
  if (before !== null) return before;
  const { hectaresPerJob } = limits;
  const entries = charged(await ports.catalogue(), order, hectaresPerJob);
  const wanted = {
    jobs: entries.length,
    squareMetres: entries.reduce((sum, { squareMetres }) => sum + squareMetres, 0),
  };
  // Only spares the upload: the transaction's own condition is what decides.
  if (!fits(wanted, remainingOf(allowance))) return { kind: 'over-quota', wanted, allowance };
  const terms = { wanted, limit: allowance.limit, hectaresPerJob };
  return store(ports, attempt, entries, terms);
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
  const { tenant, order, idempotency } = attempt;
  const batchId = newBatchId(attempt.now);
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
      const before = await creationBefore(ports, attempt);
      if (before === null) throw new TransientFailure('the idempotency key ended just now');
      return before;
    }
  }
}

function newBatch(
  { retentionDays }: CreateBatchPorts,
  { tenant, order, now }: Attempt,
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
    resultsExpireAt: addSeconds(createdAt, retentionDays * SECONDS_A_DAY),
    state: { status: 'pending' },
  };
}

/** The creation that this one repeats, or whose key it takes for another; null when it is the first. */
async function creationBefore(
  ports: CreateBatchPorts,
  attempt: Attempt,
): Promise<Extract<Creation, { kind: 'repeated' | 'key-reused' }> | null> {
  const { tenant, order, idempotency } = attempt;
  if (idempotency === null) return null;
  const known = await ports.idempotencyKeys.find(tenant, idempotency.key);
  if (known === null) return null;
  const { batchId, createdAt } = known;
  if (known.digest !== idempotency.digest) {
    return { kind: 'key-reused', batchId, allowance: await allowanceAt(ports, attempt) };
  }
  // An equal request has as many jobs.
  const receipt = { batchId, createdAt, totalJobs: order.jobs.entries.length };
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

function standingAt(ports: CreateBatchPorts, { tenant, now }: Attempt): Promise<Standing> {
  return standingOn(ports, tenant, dayOf(timestamp(now)));
}

async function allowanceAt(ports: CreateBatchPorts, attempt: Attempt): Promise<Allowance> {
  return (await standingAt(ports, attempt)).allowance;
}

function charged(
  catalogue: PackCatalogue,
  order: BatchOrder,
  hectaresPerJob: number,
): readonly JobEntry[] {
  return order.jobs.entries.map(({ polygon, ...entry }) => ({
    ...entry,
    squareMetres: chargedSquareMetres(catalogue, {
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
