import type { Batch } from '../../lambdas/domain/batch/batch.ts';
import { isFinal } from '../../lambdas/domain/batch/batch.ts';
import type { BatchQueue, WaitingBatch } from '../../lambdas/domain/dispatch/batch-queue.ts';
import type { HeldSlot, Slots } from '../../lambdas/domain/dispatch/slots.ts';

/** The slots that unfinished batches hold; a final batch has released its own. */
export function inMemorySlots(batches: Map<string, Batch>): Slots {
  const held = (): readonly HeldSlot[] =>
    [...batches.values()].flatMap(({ batchId, tenant, slot }) =>
      slot === undefined ? [] : [{ ...slot, batchId, tenant }],
    );
  return {
    readHeld: async () => held().toSorted((a, b) => a.ofAll - b.ofAll),
    async claim({ batchId, tenant }, slot, at) {
      const batch = batches.get(batchId);
      if (batch?.state.status !== 'pending' || batch.slot !== undefined) return 'not-waiting';
      if (batch.cancelRequestedAt !== undefined) return 'not-waiting';
      const isTaken = held().some(
        (other) =>
          other.ofAll === slot.ofAll ||
          (other.tenant === tenant && other.ofTenant === slot.ofTenant),
      );
      if (isTaken) return 'slot-taken';
      batches.set(batchId, { ...batch, slot, slotClaimedAt: at, updatedAt: at });
      return 'claimed';
    },
    async free({ batchId }) {
      const batch = batches.get(batchId);
      if (batch?.slot === undefined || !isFinal(batch.state)) return 'unchanged';
      const { slot: _, ...rest } = batch;
      batches.set(batchId, rest);
      return 'changed';
    },
  };
}

export function inMemoryBatchQueue(): BatchQueue {
  const queues = new Map<string, Map<string, WaitingBatch>>();
  const tenants = new Map<string, string>();
  let lastServed: string | null = null;
  return {
    async enqueue({ tenant, batchId, totalJobs }) {
      const queue = queues.get(tenant) ?? new Map<string, WaitingBatch>();
      queues.set(tenant, queue.set(batchId, { batchId, totalJobs }));
      tenants.set(tenant, batchId);
    },
    async remove(tenant, batchId) {
      queues.get(tenant)?.delete(batchId);
    },
    contains: async (tenant, batchId) =>
      tenants.has(tenant) && queues.get(tenant)?.has(batchId) === true,
    readFirst: async (tenant, count) =>
      [...(queues.get(tenant)?.values() ?? [])]
        .sort((a, b) => a.batchId.localeCompare(b.batchId))
        .slice(0, count),
    readTenants: async (after, count) =>
      [...tenants]
        .map(([tenant, latest]) => ({ tenant, latest }))
        .filter(({ tenant }) => after === null || tenant > after)
        .sort((a, b) => (a.tenant < b.tenant ? -1 : 1))
        .slice(0, count),
    async removeTenant({ tenant, latest }) {
      if (tenants.get(tenant) !== latest) return 'unchanged';
      tenants.delete(tenant);
      return 'changed';
    },
    readLastServed: async () => lastServed,
    async setLastServed(from, to) {
      if (lastServed !== from) return 'unchanged';
      lastServed = to;
      return 'changed';
    },
  };
}
