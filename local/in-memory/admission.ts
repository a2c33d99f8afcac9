import {
  type BatchTimes,
  type RecentTimes,
  withNewest,
} from '../../lambdas/domain/admission/batch-times.ts';
import {
  MAX_TICKETS_MS,
  type RequestPaces,
  TICKET_EARLY_MS,
  TICKET_VALID_MS,
} from '../../lambdas/domain/admission/request-rate.ts';

/** The port in memory. */
export function inMemoryRequestPaces(): RequestPaces {
  const dues = new Map<string, number>();
  const nextTickets = new Map<string, number>();
  const tickets = new Map<string, { readonly from: number; readonly weight: number }>();
  return {
    admit: async (tenant, { intervalMs, aheadMs }, now, weight) => {
      const due = Math.max(dues.get(tenant) ?? now, now);
      if (due > now + aheadMs) return { kind: 'refused', due };
      dues.set(tenant, due + weight * intervalMs);
      return { kind: 'admitted' };
    },
    redeem: async ({ tenant, fingerprint, weight }, { intervalMs }, now) => {
      const key = `${tenant} ${fingerprint}`;
      const ticket = tickets.get(key);
      if (ticket === undefined || ticket.from + TICKET_VALID_MS < now || ticket.weight < weight) {
        return { kind: 'none' };
      }
      if (ticket.from > now + TICKET_EARLY_MS) return { kind: 'early', from: ticket.from };
      tickets.set(key, { ...ticket, weight: ticket.weight - weight });
      dues.set(tenant, Math.max(dues.get(tenant) ?? now, now) + weight * intervalMs);
      return { kind: 'admitted' };
    },
    giveTicket: async ({ tenant, fingerprint, weight }, { intervalMs }, now, free) => {
      const from = Math.max(nextTickets.get(tenant) ?? free, free);
      if (from > now + MAX_TICKETS_MS) return from;
      nextTickets.set(tenant, from + weight * intervalMs);
      tickets.set(`${tenant} ${fingerprint}`, { from, weight });
      return from;
    },
  };
}

export function inMemoryRecentTimes(): RecentTimes {
  let recent: readonly BatchTimes[] = [];
  return {
    read: async () => recent,
    async add(times) {
      recent = withNewest(recent, times);
    },
  };
}
