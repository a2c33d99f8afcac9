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

export function waitingLine<Batch>({
  inAll,
  perTenant,
}: {
  readonly inAll: number;
  readonly perTenant: number;
}): BatchQueue<Batch> {
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
      if (running === inAll) return undefined;
      for (const [tenant, line] of lines) {
        const batch = line.batches[line.first];
        if (batch === undefined || (held.get(tenant) ?? 0) >= perTenant) continue;
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
