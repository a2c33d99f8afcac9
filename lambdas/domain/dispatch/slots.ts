import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';

/** A batch's leave to run: one of all slots and one of its tenant's, both counted from 0. */
export interface Slot {
  readonly ofAll: number;
  readonly ofTenant: number;
}

export interface HeldSlot extends Slot {
  readonly tenant: string;
  readonly batchId: BatchId;
}

/** How many batches run at a time; a tenant may have a number of its own. */
export interface RunningLimits {
  readonly inAll: number;
  readonly perTenant: number;
}

/**
 * Port to the slots. Each holds one batch, so no more batches run than there are slots: nothing is
 * counted, so no count can drift. Every read is strongly consistent.
 */
export interface Slots {
  readHeld(): Promise<readonly HeldSlot[]>;
  /** Gives both slots to a batch that waits, or changes nothing; finishing the batch frees them. */
  claim(
    batch: { readonly batchId: BatchId; readonly tenant: string },
    slot: Slot,
    at: Timestamp,
  ): Promise<'claimed' | 'slot-taken' | 'not-waiting'>;
  /** Frees the slots of a batch that has ended, if they are still its own. */
  free(held: HeldSlot): Promise<Transition>;
}

/**
 * Slots nobody held just now, or null when all or the tenant's are taken. Which ones is drawn from the
 * batch's id, so that two claims at a time seldom meet.
 */
export function freeSlot(
  held: readonly HeldSlot[],
  { batchId, tenant }: { readonly batchId: BatchId; readonly tenant: string },
  { inAll, perTenant }: RunningLimits,
): Slot | null {
  const own = held.filter((slot) => slot.tenant === tenant);
  // Also when a limit was lowered and slots beyond it are still held.
  if (held.length >= inAll || own.length >= perTenant) return null;
  const draw = Number.parseInt(batchId.slice(-6), 16);
  const ofAll = drawn(inAll, new Set(held.map((slot) => slot.ofAll)), draw);
  const ofTenant = drawn(perTenant, new Set(own.map((slot) => slot.ofTenant)), draw);
  return ofAll === null || ofTenant === null ? null : { ofAll, ofTenant };
}

function drawn(count: number, taken: ReadonlySet<number>, draw: number): number | null {
  const free = Array.from({ length: count }, (_, number) => number).filter(
    (number) => !taken.has(number),
  );
  return free[draw % free.length] ?? null;
}
