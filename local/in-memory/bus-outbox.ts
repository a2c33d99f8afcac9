import type { BusEvent, BusOutbox } from '../../lambdas/domain/delivery/bus-outbox.ts';
import { inPages } from './pages.ts';

/** @param events those not published yet, by batch */
export function inMemoryBusOutbox(events: Map<string, BusEvent>): BusOutbox {
  return {
    readUnpublished: async (batchId) => events.get(batchId) ?? null,
    markPublished: async ({ batchId }) => (events.delete(batchId) ? 'changed' : 'unchanged'),
    unpublished: (before, after) =>
      inPages(
        [...events.values()].filter(({ at }) => at < before).map(({ batchId }) => batchId),
        after,
      ),
  };
}
