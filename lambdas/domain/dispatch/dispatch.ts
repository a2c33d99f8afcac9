import { type Batch, type BatchRun, type BatchRunner, toRun } from '../batch/batch.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { TenantRecords } from '../tenant/tenant.ts';
import type { BatchQueue, WaitingTenant } from './batch-queue.ts';
import { chooseSlot, type HeldSlot, mayTakeSlot, type RunningLimits, type Slots } from './slots.ts';

export interface DispatchPorts {
  readonly slots: Slots;
  readonly batchQueue: BatchQueue;
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly runner: Pick<BatchRunner, 'start'>;
  readonly runningLimits: RunningLimits;
  readonly clock: Clock;
  /** Called when a start failed. The batch keeps its slot, and the reconciler starts it. */
  readonly onStartFailure: (batchId: BatchId, error: unknown) => void;
}

/** The number of batches read from one tenant's queue at a time. Batches before the first waiting one are stale. */
const QUEUE_HEAD = 10;

/**
 * Starts a pending batch immediately if it has a slot, or if a slot is free and no batch is queued. Otherwise, queues
 * it and dispatches the queue.
 */
export async function dispatchBatch(ports: DispatchPorts, batch: Batch): Promise<void> {
  if (batch.status !== 'pending') return;
  // The process that claimed the slot may have died before it started the batch. Starting is safe to repeat.
  if (batch.slot !== undefined) return startRun(ports, toRun(batch));
  const [held, [waitingTenant], limits] = await Promise.all([
    ports.slots.readHeld(),
    ports.batchQueue.readTenants(null, 1),
    limitsFor(ports, batch.tenant),
  ]);
  const slot = waitingTenant === undefined ? chooseSlot(held, batch, limits) : null;
  if (slot !== null) {
    const claim = await ports.slots.claim(batch, slot, timestamp(ports.clock()));
    if (claim === 'claimed') return startRun(ports, toRun(batch));
    if (claim === 'not-waiting') return;
  }
  // Enqueue before reading the slots again, so that a slot freed in between is noticed.
  await ports.batchQueue.enqueue(batch);
  await dispatchQueue(ports);
}

const ROUNDS = 16;

/**
 * Gives free slots to queued batches until no slot is free, no batch may start, or the rounds are used up. Tenants with
 * the fewest slots come first, and among equals in round-robin order. Safe to run concurrently.
 * @param isLate no round starts once it returns true
 * @returns the number of batches that got a slot
 */
export async function dispatchQueue(
  ports: DispatchPorts,
  rounds: number = ROUNDS,
  isLate: () => boolean = () => false,
): Promise<number> {
  let started = 0;
  for (let round = 0; round < rounds && !isLate(); round++) {
    const held = await ports.slots.readHeld();
    if (held.length >= ports.runningLimits.inAll) return started;
    const outcome = await serveNext(ports, held);
    if (outcome === 'none') return started;
    if (outcome === 'started') started += 1;
  }
  return started;
}

/**
 * If dispatching fails, the reconciler dispatches later.
 * @param onLeft called on such a failure
 */
export async function dispatchAfterEnd(
  ports: DispatchPorts,
  ended: BatchId,
  onLeft: (batchId: BatchId, error: unknown) => void,
): Promise<void> {
  try {
    await dispatchQueue(ports);
  } catch (error) {
    onLeft(ended, error);
  }
}

/**
 * `started`: a batch got its slot. `again`: another round may find a batch to start. `stale`: none of the batches that
 * were read is still waiting. `none`: no batch may start now.
 */
type ServeResult = 'started' | 'again' | 'stale' | 'none';

async function serveNext(
  ports: DispatchPorts,
  held: readonly HeldSlot[],
): Promise<Exclude<ServeResult, 'stale'>> {
  const lastServed = await ports.batchQueue.readLastServed();
  const waiting = tenantsRoundRobin(ports.batchQueue, lastServed);
  let stale = false;
  for await (const tenant of fewestSlotsFirst(waiting, held)) {
    const outcome = await serveTenant(ports, tenant, held);
    // If only stale entries of its queue were read, the tenant must wait for the next round.
    if (outcome === 'stale') stale = true;
    if (outcome === 'stale' || outcome === 'none') continue;
    if (outcome === 'started') await ports.batchQueue.setLastServed(lastServed, tenant.tenant);
    return outcome;
  }
  return stale ? 'again' : 'none';
}

async function serveTenant(
  ports: DispatchPorts,
  waiting: WaitingTenant,
  held: readonly HeldSlot[],
): Promise<ServeResult> {
  const { tenant } = waiting;
  const heldBy = {
    inAll: held.length,
    ofTenant: held.filter((slot) => slot.tenant === tenant).length,
  };
  // If only reserved slots are free, the limits of a tenant that already runs batches need not be read.
  const anyNumber = { ...ports.runningLimits, perTenant: Number.POSITIVE_INFINITY };
  if (!mayTakeSlot(heldBy, anyNumber)) return 'none';
  const limits = await limitsFor(ports, tenant);
  if (!mayTakeSlot(heldBy, limits)) return 'none';
  const first = await ports.batchQueue.readFirst(tenant, QUEUE_HEAD);
  for (const batch of first) {
    const outcome = await claimAndStart(ports, { ...batch, tenant }, held, limits);
    if (outcome !== 'stale') return outcome;
  }
  if (first.length > 0) return 'stale';
  await ports.batchQueue.removeTenant(waiting);
  return 'none';
}

async function claimAndStart(
  ports: DispatchPorts,
  batch: BatchRun & { readonly tenant: string },
  held: readonly HeldSlot[],
  limits: RunningLimits,
): Promise<ServeResult> {
  const slot = chooseSlot(held, batch, limits);
  if (slot === null) return 'none';
  const claim = await ports.slots.claim(batch, slot, timestamp(ports.clock()));
  if (claim === 'slot-taken') return 'again';
  if (claim === 'claimed') await startRun(ports, batch);
  await ports.batchQueue.remove(batch.tenant, batch.batch_id);
  return claim === 'claimed' ? 'started' : 'stale';
}

async function startRun({ runner, onStartFailure }: DispatchPorts, run: BatchRun): Promise<void> {
  try {
    await runner.start(run);
  } catch (error) {
    onStartFailure(run.batch_id, error);
  }
}

async function limitsFor(
  { tenants, runningLimits }: DispatchPorts,
  tenant: string,
): Promise<RunningLimits> {
  const record = await tenants.find(tenant);
  const perTenant = record?.limits.runningBatches ?? runningLimits.perTenant;
  return { ...runningLimits, perTenant };
}

const PAGE_TENANTS = 50;

/** Bounds the cost of a round. */
export const MAX_TENANTS_SCANNED = 500;

/**
 * Yields the tenants with queued batches in round-robin order by name, from the one after the tenant served last,
 * around to that tenant. If the caller takes every tenant that is read and more tenants may wait, the last tenant read
 * is recorded as served, so that the next round continues after it.
 */
async function* tenantsRoundRobin(
  batchQueue: Pick<BatchQueue, 'readTenants' | 'setLastServed'>,
  lastServed: string | null,
): AsyncGenerator<WaitingTenant> {
  let after = lastServed;
  let wrapped = lastServed === null;
  for (let read = 0; read < MAX_TENANTS_SCANNED; ) {
    const page = await batchQueue.readTenants(after, PAGE_TENANTS);
    for (const tenant of page) {
      if (wrapped && lastServed !== null && tenant.tenant > lastServed) return;
      yield tenant;
    }
    read += page.length;
    after = page.at(-1)?.tenant ?? null;
    if (page.length < PAGE_TENANTS) {
      if (wrapped) return;
      wrapped = true;
      after = null;
    }
  }
  if (after !== null) await batchQueue.setLastServed(lastServed, after);
}

/** Yields the tenants with the fewest slots first, and tenants with the same number in the given order. */
async function* fewestSlotsFirst(
  tenants: AsyncIterable<WaitingTenant>,
  held: readonly HeldSlot[],
): AsyncGenerator<WaitingTenant> {
  const slots = new Map<string, number>();
  for (const { tenant } of held) slots.set(tenant, (slots.get(tenant) ?? 0) + 1);
  const holders: { readonly waiting: WaitingTenant; readonly slots: number }[] = [];
  for await (const waiting of tenants) {
    const own = slots.get(waiting.tenant);
    if (own === undefined) yield waiting;
    else holders.push({ waiting, slots: own });
  }
  for (const { waiting } of holders.toSorted((a, b) => a.slots - b.slots)) yield waiting;
}
