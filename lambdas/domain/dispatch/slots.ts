import type { Batch } from '../batch/batch.ts';
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
  /** The part of `inAll` that only a tenant without a running batch may take, one slot each. */
  readonly reserved: number;
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
    batch: Pick<Batch, 'batch_id' | 'tenant'>,
    slot: Slot,
    at: Timestamp,
  ): Promise<'claimed' | 'slot-taken' | 'not-waiting'>;
  /** Frees the slots of a batch that has ended, if it still holds them. */
  free(held: HeldSlot): Promise<Transition>;
}

/**
 * Whether a tenant may take one more slot. The last `reserved` free slots are for tenants that hold
 * none, so a few tenants cannot hold them all.
 */
export function mayTakeSlot(
  held: { readonly inAll: number; readonly ofTenant: number },
  { inAll, reserved, perTenant }: RunningLimits,
): boolean {
  const available = held.ofTenant === 0 ? inAll : inAll - reserved;
  return held.inAll < available && held.ofTenant < perTenant;
}

/**
 * Free slots, or null if the tenant may not take one. The choice depends on the batch id, so that
 * concurrent claims seldom collide. The slots from `inAll - reserved` on are taken last, and only with
 * the tenant's slot 0: however many dispatchers read the slots at once, a tenant holds one of them at most.
 */
export function freeSlot(
  held: readonly HeldSlot[],
  { batch_id, tenant }: Pick<Batch, 'batch_id' | 'tenant'>,
  limits: RunningLimits,
): Slot | null {
  const { inAll, reserved, perTenant } = limits;
  const own = held.filter((slot) => slot.tenant === tenant);
  // Also if a limit was lowered while higher slots are held.
  if (!mayTakeSlot({ inAll: held.length, ofTenant: own.length }, limits)) return null;
  const seed = Number.parseInt(batch_id.slice(-6), 16);
  const taken = new Set(held.map((slot) => slot.ofAll));
  const forAny = pick(0, inAll - reserved, taken, seed);
  if (forAny === null) {
    const kept = own.length === 0 ? pick(inAll - reserved, inAll, taken, seed) : null;
    return kept === null ? null : { ofAll: kept, ofTenant: 0 };
  }
  const ofTenant = pick(0, perTenant, new Set(own.map((slot) => slot.ofTenant)), seed);
  return ofTenant === null ? null : { ofAll: forAny, ofTenant };
}

function pick(from: number, to: number, taken: ReadonlySet<number>, seed: number): number | null {
  const free = Array.from({ length: to - from }, (_, index) => from + index).filter(
    (number) => !taken.has(number),
  );
  return free[seed % free.length] ?? null;
}
