import type { DeliveryBodies } from '../../lambdas/domain/delivery/body.ts';

/** The first body stored for an event is kept. */
export function inMemoryDeliveryBodies(): DeliveryBodies {
  const bodies = new Map<string, Uint8Array>();
  return {
    read: async (_batchId, eventId) => bodies.get(eventId) ?? null,
    keep: async (_batchId, eventId, body) => {
      const kept = bodies.get(eventId) ?? body;
      bodies.set(eventId, kept);
      return kept;
    },
  };
}
