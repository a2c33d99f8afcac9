import type { BatchQueue, WaitingTenant } from './batch-queue.ts';

const PAGE_TENANTS = 50;

/** Tenants looked at for one start, so that its cost has an end however many wait. */
export const MAX_TENANTS_SCANNED = 500;

/**
 * Round-robin: the tenants of whom batches wait by name, from the first after the one that had the
 * last turn, around to that one. A tenant has one turn however long its line is. When more wait than
 * are looked at and none of those may start a batch, the turn passes to the last of them, so that the
 * next look goes on behind it.
 */
export async function* tenantsRoundRobin(
  batchQueue: Pick<BatchQueue, 'readTenants' | 'setLastServed'>,
  turn: string | null,
): AsyncGenerator<WaitingTenant> {
  let after = turn;
  let wrapped = turn === null;
  for (let looked = 0; looked < MAX_TENANTS_SCANNED; ) {
    const page = await batchQueue.readTenants(after, PAGE_TENANTS);
    for (const tenant of page) {
      if (wrapped && turn !== null && tenant.tenant > turn) return;
      yield tenant;
    }
    looked += page.length;
    after = page.at(-1)?.tenant ?? null;
    if (page.length < PAGE_TENANTS) {
      if (wrapped) return;
      wrapped = true;
      after = null;
    }
  }
  if (after !== null) await batchQueue.setLastServed(turn, after);
}
