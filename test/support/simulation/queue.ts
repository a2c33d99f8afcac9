import type { DeliveryMessage, OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';
import type { VirtualTime } from './time.ts';

/** Six times the function's timeout, as in `lib/webhooks.ts`. */
const VISIBILITY_MS = 180_000;

interface Waiting {
  readonly message: DeliveryMessage;
  visibleAt: number;
  receives: number;
}

/** A standard SQS queue, in which a message that is not deleted becomes visible again after its visibility timeout. */
export class Queue {
  readonly deadLetters: OutboxEvent[] = [];
  private waiting: Waiting[] = [];
  private readonly time: VirtualTime;

  constructor(time: VirtualTime) {
    this.time = time;
  }

  readonly deliveryQueue = {
    enqueue: async (message: DeliveryMessage, delaySeconds: number): Promise<void> => {
      const visibleAt = this.time.now() + delaySeconds * 1_000;
      this.waiting.push({ message, visibleAt, receives: 0 });
    },
  };

  readonly dead = {
    send: async (event: OutboxEvent): Promise<void> => {
      this.deadLetters.push(event);
    },
  };

  /** Null without messages. */
  nextAt(): number | null {
    return this.waiting.length === 0
      ? null
      : Math.min(...this.waiting.map(({ visibleAt }) => visibleAt));
  }

  /** Delivers one visible message, if there is one, and deletes it unless `deliver` throws. */
  async receive(
    deliver: (message: DeliveryMessage, receivedBefore: boolean) => Promise<void>,
  ): Promise<boolean> {
    const due = this.waiting.find(({ visibleAt }) => visibleAt <= this.time.now());
    if (due === undefined) return false;
    due.receives += 1;
    due.visibleAt = this.time.now() + VISIBILITY_MS;
    try {
      await deliver(due.message, due.receives > 1);
      this.waiting = this.waiting.filter((other) => other !== due);
    } catch {
      // The message becomes visible again.
    }
    return true;
  }
}
