import type { BatchQueue, WaitingTenant } from './batch-queue.ts';
import type { HeldSlot } from './slots.ts';

const PAGE_TENANTS = 50;

/** Tenants read for one start at most, which bounds its cost. */
export const MAX_TENANTS_SCANNED = 500;

/**
 * Round-robin over the tenants with queued batches, by name: from the first after the one served last,
 * around to that one. If more tenants wait than are read and all of these are taken, the last one read is
 * recorded as served, so that the next scan continues after it.
 */
export async function* tenantsRoundRobin(
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

/**
 * The tenants with the fewest slots first, in their order otherwise. Those without a slot need not wait
 * for the others to be read; the rest are at most as many as there are slots.
 */
export async function* fewestSlotsFirst(
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
