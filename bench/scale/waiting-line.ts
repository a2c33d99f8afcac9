import { mayTakeSlot, type RunningLimits } from '../../lambdas/domain/dispatch/slots.ts';

/** Batches that wait for a slot, a line a tenant; tenants take turns, as `lambdas/domain/dispatch` has it. */
export interface BatchQueue<Batch> {
  join(tenant: number, batch: Batch): void;
  /** Takes a slot for whoever is next, if there is one for anybody. */
  next(): { readonly tenant: number; readonly waiting: Batch } | undefined;
  /** Gives the slot back. */
  leave(tenant: number): void;
  running(): number;
  waiting(): number;
}

export function waitingLine<Batch>(limits: RunningLimits): BatchQueue<Batch> {
  /** In the order of turns: whoever was served goes to the end. */
  const lines = new Map<number, { batches: Batch[]; first: number }>();
  const held = new Map<number, number>();
  let [running, waiting] = [0, 0];
  return {
    join(tenant, batch) {
      const line = lines.get(tenant) ?? { batches: [], first: 0 };
      line.batches.push(batch);
      lines.set(tenant, line);
      waiting += 1;
    },
    next() {
      if (running === limits.inAll) return undefined;
      for (const [tenant, line] of lines) {
        const batch = line.batches[line.first];
        const slots = { inAll: running, ofTenant: held.get(tenant) ?? 0 };
        if (batch === undefined || !mayTakeSlot(slots, limits)) continue;
        line.first += 1;
        lines.delete(tenant);
        if (line.first < line.batches.length) lines.set(tenant, line);
        held.set(tenant, (held.get(tenant) ?? 0) + 1);
        running += 1;
        waiting -= 1;
        return { tenant, waiting: batch };
      }
      return undefined;
    },
    leave(tenant) {
      held.set(tenant, (held.get(tenant) ?? 1) - 1);
      running -= 1;
    },
    running: () => running,
    waiting: () => waiting,
  };
}
