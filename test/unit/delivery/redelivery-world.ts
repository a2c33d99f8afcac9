import type { DeliveryLog } from '../../../lambdas/domain/delivery/outbox.ts';
import type { RedeliveryPorts } from '../../../lambdas/domain/delivery/redelivery.ts';
import { DeliveryWorld } from './delivery-world.ts';

/** A world in which clients request redeliveries. */
export class RedeliveryWorld extends DeliveryWorld {
  /** Attempts that could not be queued. */
  readonly left: string[] = [];

  readonly asking: RedeliveryPorts & { readonly log: DeliveryLog } = {
    batches: this.stores.batches,
    outbox: this.stores.outbox,
    log: this.stores.outbox,
    timer: this.ports.timer,
    clock: this.ports.clock,
    onAttemptNotQueued: (batchId) => this.left.push(batchId),
  };
}
