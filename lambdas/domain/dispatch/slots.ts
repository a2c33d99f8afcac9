import type { Batch } from '../batch/batch.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';

/** A batch runs while it holds a slot of the stage and a slot of its tenant, both numbered from 0. */
export interface Slot {
  readonly ofAll: number;
  readonly ofTenant: number;
}

export interface HeldSlot extends Slot {
  readonly tenant: string;
  readonly batchId: BatchId;
}

export interface RunningLimits {
  readonly inAll: number;
  /** The part of `inAll` that only tenants without a running batch may take, one slot each. */
  readonly reserved: number;
  readonly perTenant: number;
}

/**
 * Port to the slots. Each is held by at most one batch, so no more batches run than there are slots. Reads are strongly
 * consistent.
 */
export interface Slots {
  readHeld(): Promise<readonly HeldSlot[]>;
  /** Gives both slots to a waiting batch, or changes nothing. Finishing the batch frees them. */
  claim(
    batch: Pick<Batch, 'batch_id' | 'tenant'>,
    slot: Slot,
    at: Timestamp,
  ): Promise<'claimed' | 'slot-taken' | 'not-waiting'>;
  /** Frees the slots of an ended batch, if it still holds them. */
  free(held: HeldSlot): Promise<Transition>;
}

/**
 * Whether a tenant may take one more slot. The last `reserved` free slots are for tenants without a slot, so that a few
 * tenants cannot hold all slots.
 */
export function mayTakeSlot(
  held: { readonly inAll: number; readonly ofTenant: number },
  { inAll, reserved, perTenant }: RunningLimits,
): boolean {
  const available = held.ofTenant === 0 ? inAll : inAll - reserved;
  return held.inAll < available && held.ofTenant < perTenant;
}

/**
 * Chooses a free slot of the stage and one of the tenant; returns null if there is none that the tenant may take. The
 * choice depends on the batch ID, so that concurrent claims seldom collide. Slots from `inAll - reserved` on are taken
 * last, and only together with the tenant's slot 0, so that a tenant holds at most one of them, even with concurrent
 * dispatchers.
 */
export function chooseSlot(
  held: readonly HeldSlot[],
  { batch_id, tenant }: Pick<Batch, 'batch_id' | 'tenant'>,
  limits: RunningLimits,
): Slot | null {
  const { inAll, reserved, perTenant } = limits;
  const own = held.filter((slot) => slot.tenant === tenant);
  // Counting slots also works if a limit was lowered while slots above it are held.
  if (!mayTakeSlot({ inAll: held.length, ofTenant: own.length }, limits)) return null;
  const seed = Number.parseInt(batch_id.slice(-6), 16);
  const taken = new Set(held.map((slot) => slot.ofAll));
  const forAny = pickSlot(0, inAll - reserved, taken, seed);
  if (forAny === null) {
    const reservedSlot = own.length === 0 ? pickSlot(inAll - reserved, inAll, taken, seed) : null;
    return reservedSlot === null ? null : { ofAll: reservedSlot, ofTenant: 0 };
  }
  const ofTenant = pickSlot(0, perTenant, new Set(own.map((slot) => slot.ofTenant)), seed);
  return ofTenant === null ? null : { ofAll: forAny, ofTenant };
}

function pickSlot(
  from: number,
  to: number,
  taken: ReadonlySet<number>,
  seed: number,
): number | null {
  const free = Array.from({ length: to - from }, (_, index) => from + index).filter(
    (number) => !taken.has(number),
  );
  return free[seed % free.length] ?? null;
}
