import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';

/**
 * A batch runs while it holds a slot: one of the deployment's and one of its tenant's, both counted
 * from 0.
 */
export interface Slot {
  readonly ofAll: number;
  readonly ofTenant: number;
}

export interface HeldSlot extends Slot {
  readonly tenant: string;
  readonly batchId: BatchId;
}

/** How many batches run concurrently; the number per tenant can be set per tenant. */
export interface RunningLimits {
  readonly inAll: number;
  readonly perTenant: number;
}

/**
 * Port to the slots. Each holds one batch, so no more batches run than there are slots. Nothing is
 * counted, so no count can drift. Reads are strongly consistent.
 */
export interface Slots {
  readHeld(): Promise<readonly HeldSlot[]>;
  /** Gives both slots to a waiting batch, or changes nothing; finishing the batch frees them. */
  claim(
    batch: { readonly batchId: BatchId; readonly tenant: string },
    slot: Slot,
    at: Timestamp,
  ): Promise<'claimed' | 'slot-taken' | 'not-waiting'>;
  /** Frees the slots of a batch that has ended, if it still holds them. */
  free(held: HeldSlot): Promise<Transition>;
}

/**
 * Free slots, or null if all of the deployment's or the tenant's are taken. The choice depends on the
 * batch id, so that concurrent claims seldom collide.
 */
export function freeSlot(
  held: readonly HeldSlot[],
  { batchId, tenant }: { readonly batchId: BatchId; readonly tenant: string },
  { inAll, perTenant }: RunningLimits,
): Slot | null {
  const own = held.filter((slot) => slot.tenant === tenant);
  // Also if a limit was lowered while higher slots are held.
  if (held.length >= inAll || own.length >= perTenant) return null;
  const seed = Number.parseInt(batchId.slice(-6), 16);
  const ofAll = pick(inAll, new Set(held.map((slot) => slot.ofAll)), seed);
  const ofTenant = pick(perTenant, new Set(own.map((slot) => slot.ofTenant)), seed);
  return ofAll === null || ofTenant === null ? null : { ofAll, ofTenant };
}

function pick(count: number, taken: ReadonlySet<number>, seed: number): number | null {
  const free = Array.from({ length: count }, (_, number) => number).filter(
    (number) => !taken.has(number),
  );
  return free[seed % free.length] ?? null;
}
