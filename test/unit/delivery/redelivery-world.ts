import type { DeliveryLog } from '../../../lambdas/domain/delivery/outbox.ts';
import type { RedeliveryPorts } from '../../../lambdas/domain/delivery/redelivery.ts';
import { DeliveryWorld } from './delivery-world.ts';

/** A world in which clients request redeliveries. */
export class RedeliveryWorld extends DeliveryWorld {
  /** Attempts that could not be queued. */
  readonly left: string[] = [];

  readonly asking: RedeliveryPorts & { readonly log: DeliveryLog } = {
    batches: this.ports.batches,
    outbox: {
      read: this.ports.outbox.read,
      redeliver: async (event, again, now) => {
        const { event: stored, lease } = this;
        const same = stored?.eventId === event.eventId && stored.attempts === event.attempts;
        const free = lease === null || lease.until <= now;
        if (!same || stored.state !== event.state || !free) return 'unchanged';
        this.event = again;
        this.lease = null;
        return 'changed';
      },
    },
    log: { attempts: async () => this.log },
    timer: this.ports.timer,
    clock: this.ports.clock,
    onAttemptNotQueued: (batchId) => this.left.push(batchId),
  };
}
