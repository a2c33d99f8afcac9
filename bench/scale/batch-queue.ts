import { mayTakeSlot, type RunningLimits } from '../../lambdas/domain/dispatch/slots.ts';

/** Batches that wait for a slot, one queue per tenant, served round-robin as in `lambdas/domain/dispatch`. */
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
  let [running, waiting] = [0, 0];
  return {
    enqueue(tenant, batch) {
      const queue = queues.get(tenant) ?? { batches: [], first: 0 };
      queue.batches.push(batch);
      queues.set(tenant, queue);
      waiting += 1;
    },
    next() {
      if (running === limits.inAll) return undefined;
      for (const [tenant, queue] of queues) {
        const batch = queue.batches[queue.first];
        const slots = { inAll: running, ofTenant: held.get(tenant) ?? 0 };
        if (batch === undefined || !mayTakeSlot(slots, limits)) continue;
        queue.first += 1;
        queues.delete(tenant);
        if (queue.first < queue.batches.length) queues.set(tenant, queue);
        held.set(tenant, (held.get(tenant) ?? 0) + 1);
        running += 1;
        waiting -= 1;
        return { tenant, waiting: batch };
      }
      return undefined;
    },
    release(tenant) {
      held.set(tenant, (held.get(tenant) ?? 1) - 1);
      running -= 1;
    },
    running: () => running,
    waiting: () => waiting,
  };
}
