import { mayTakeSlot, type RunningLimits } from '../../lambdas/domain/dispatch/slots.ts';

/**
 * Batches that wait for a slot, one queue per tenant: that of the fewest slots is served first, equals
 * round-robin, as in `lambdas/domain/dispatch`.
 */
export interface BatchQueue<Batch> {
  enqueue(tenant: number, batch: Batch): void;
  /** Takes a slot for the next tenant that may have one. */
  next(): { readonly tenant: number; readonly waiting: Batch } | undefined;
  /** Releases the slot. */
  release(tenant: number): void;
  running(): number;
  waiting(): number;
}

export function queuedBatches<Batch>(limits: RunningLimits): BatchQueue<Batch> {
  /** In round-robin order: a tenant that was served moves to the end. */
  const queues = new Map<number, { batches: Batch[]; first: number }>();
  const held = new Map<number, number>();
  const slotsOf = (tenant: number) => held.get(tenant) ?? 0;
  let [running, waiting] = [0, 0];
  return {
    enqueue(tenant, batch) {
      const queue = queues.get(tenant) ?? { batches: [], first: 0 };
      queue.batches.push(batch);
      queues.set(tenant, queue);
      waiting += 1;
    },
    next() {
      const allowed = [...queues.keys()].filter((tenant) =>
        mayTakeSlot({ inAll: running, ofTenant: slotsOf(tenant) }, limits),
      );
      const [tenant] = allowed.sort((a, b) => slotsOf(a) - slotsOf(b));
      const queue = tenant === undefined ? undefined : queues.get(tenant);
      const batch = queue?.batches[queue.first];
      if (tenant === undefined || queue === undefined || batch === undefined) return undefined;
      queue.first += 1;
      queues.delete(tenant);
      if (queue.first < queue.batches.length) queues.set(tenant, queue);
      held.set(tenant, slotsOf(tenant) + 1);
      running += 1;
      waiting -= 1;
      return { tenant, waiting: batch };
    },
    release(tenant) {
      held.set(tenant, slotsOf(tenant) - 1);
      running -= 1;
    },
    running: () => running,
    waiting: () => waiting,
  };
}
