import fc from 'fast-check';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import { type DeliveryPorts, deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import type { DeliveryMessage } from '../../../lambdas/domain/delivery/outbox.ts';
import type { LoggedAttempt } from '../../../lambdas/domain/delivery/outcome.ts';
import { type RedeliveryPorts, redeliver } from '../../../lambdas/domain/delivery/redelivery.ts';
import {
  type ReconcileEventPorts,
  reconcileEvent,
} from '../../../lambdas/domain/reconcile/reconcile-event.ts';
import { type Gate, withFaults } from '../../support/simulation/fault-port.ts';
import { BATCH_ID, DeliveryWorld, FINISHED_AT, respondWith } from './delivery-world.ts';

/** Rates are fractions of calls, messages or responses. */
export interface Rates {
  readonly seed: number;
  readonly dies: number;
  readonly throws: number;
  /** The fraction of writes whose response is lost, so that they are sent again. */
  readonly sentTwice: number;
  readonly messagesTwice: number;
  readonly failures: number;
  readonly redeliveries: number;
  /** Seconds from the start during which no key can sign URLs. */
  readonly keyless: number;
}

export const anyRates: fc.Arbitrary<Rates> = fc.record({
  seed: fc.nat(),
  dies: fc.double({ min: 0, max: 0.2, noNaN: true }),
  throws: fc.double({ min: 0, max: 0.1, noNaN: true }),
  sentTwice: fc.double({ min: 0, max: 0.2, noNaN: true }),
  messagesTwice: fc.double({ min: 0, max: 0.4, noNaN: true }),
  failures: fc.constantFrom(0.5, 0.9, 1, 1),
  redeliveries: fc.nat({ max: 4 }),
  keyless: fc.constantFrom(0, 0, 100, 2_000),
});

const HOUR = 3_600;
/** From this time on only the receiver fails, and the event must settle. */
const CALM = HOUR;
const END = 6 * HOUR;
/** The limits of `lib/webhooks.ts`. */
const INVOCATION = 30;
const VISIBILITY = 180;

type Ports = DeliveryPorts & RedeliveryPorts & ReconcileEventPorts;

interface Message {
  readonly body: DeliveryMessage;
  /** The number of invocations in the message's chain of requests, including the one that the message causes. */
  readonly chain: number;
  visibleAt: number;
  receives: number;
}

export class Life {
  now = 0;
  readonly world = new DeliveryWorld();
  readonly log: LoggedAttempt[] = [];
  overlaps = 0;
  /** The most invocations of the delivering function in one chain of requests. */
  longestChain = 0;
  private attempts = 0;
  private readonly rates: Rates;
  private readonly agenda: { readonly at: number; readonly run: () => void }[] = [];
  private readonly outbox;
  private draws: number;

  constructor(rates: Rates) {
    this.rates = rates;
    this.draws = rates.seed;
    const { outbox } = this.world.stores;
    this.outbox = {
      ...outbox,
      recordAttempt: async (...recording: Parameters<typeof outbox.recordAttempt>) => {
        const recorded = await outbox.recordAttempt(...recording);
        if (recorded === 'changed') this.log.push(recording[2]);
        return recorded;
      },
    };
  }

  event = () => this.outbox.read(BATCH_ID, 'batch.completed');

  async run(): Promise<void> {
    await this.world.seed();
    this.sends({ batch_id: BATCH_ID, event: 'batch.completed', attempt: 1 }, 0, 1);
    for (let minute = 60; minute < END; minute += 60) this.at(minute, () => this.reconciles());
    for (let asked = 0; asked < this.rates.redeliveries; asked++) {
      this.at(this.draw() * CALM, () => this.redelivers());
    }
    while (this.agenda.length > 0) {
      this.agenda.sort((a, b) => a.at - b.at);
      const next = this.agenda.shift();
      if (next === undefined || next.at > END) return;
      this.now = Math.max(this.now, next.at);
      this.world.signingKey = this.now < this.rates.keyless ? 'missing' : 'there';
      next.run();
      // Run everything that does not wait for the clock.
      await new Promise((done) => setImmediate(done));
    }
  }

  private at(second: number, run: () => void): void {
    this.agenda.push({ at: second, run });
  }

  private sleep(seconds: number): Promise<void> {
    return new Promise((wake) => this.at(this.now + seconds, wake));
  }

  private draw(): number {
    this.draws = (this.draws + 0x6d2b79f5) | 0;
    let t = Math.imul(this.draws ^ (this.draws >>> 15), 1 | this.draws);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  private happens(rate: number): boolean {
    return this.now < CALM && this.draw() < rate;
  }

  private sends(body: DeliveryMessage, delay: number, chain: number): void {
    const message = { body, chain, visibleAt: this.now + delay, receives: 0 };
    this.at(message.visibleAt, () => this.receives(message));
    if (!this.happens(this.rates.messagesTwice)) return;
    const twin = { ...message, visibleAt: message.visibleAt + 60 * this.draw() };
    this.at(twin.visibleAt, () => this.receives(twin));
  }

  /** An unfinished message becomes visible again after its visibility timeout. */
  private receives(message: Message): void {
    message.receives += 1;
    this.longestChain = Math.max(this.longestChain, message.chain);
    message.visibleAt = this.now + VISIBILITY;
    const again = { at: message.visibleAt, run: () => this.receives(message) };
    this.agenda.push(again);
    const deadline = new Date(addSeconds(FINISHED_AT, this.now + INVOCATION));
    const arrival = { message: message.body, receivedBefore: message.receives > 1, deadline };
    const finished = () => void this.agenda.splice(this.agenda.indexOf(again), 1);
    deliver(this.process(message.chain), arrival).then(finished, () => undefined);
  }

  private reconciles(): void {
    const now = addSeconds(FINISHED_AT, this.now);
    const hint = { batchId: BATCH_ID, event: 'batch.completed' } as const;
    reconcileEvent(this.process(), hint, now).catch(() => undefined);
  }

  private redelivers(): void {
    redeliver(this.process(), 'farm', BATCH_ID).catch(() => undefined);
  }

  /**
   * The ports of one invocation, which may die at each call, and dies at its deadline.
   * @param chain the invocations in the chain of requests up to this one, to which its messages are added
   */
  private process(chain = 0): Ports {
    const deadline = this.now + INVOCATION;
    const state = { dead: false };
    const dies = (rate: number) => {
      if (this.now >= deadline || this.happens(rate)) state.dead = true;
      return state.dead;
    };
    const gate: Gate = async (call, effect) => {
      await this.sleep(this.draw() < 0.03 ? 15 * this.draw() : 0.05 * this.draw());
      if (dies(this.rates.dies / 2)) return new Promise(() => undefined);
      if (this.happens(this.rates.throws / 2)) throw new Error(`${call} before`);
      if (/\.(claim|keep)$/.test(call) && this.happens(this.rates.sentTwice)) await effect();
      const result = await effect();
      if (dies(this.rates.dies / 2)) return new Promise(() => undefined);
      if (this.happens(this.rates.throws / 2)) throw new Error(`${call} after`);
      return result;
    };
    return {
      ...withFaults(this.ports(chain), gate),
      receiver: { post: this.receiver(() => dies(0)) },
    };
  }

  private ports(chain: number): Ports {
    return {
      ...this.world.ports,
      outbox: this.outbox,
      deliveryQueue: { enqueue: async (body, delay) => this.sends(body, delay, chain + 1) },
      clock: () => new Date(addSeconds(FINISHED_AT, this.now)),
      pause: (seconds) => this.sleep(seconds),
      onAttemptNotQueued: () => undefined,
    };
  }

  private receiver(isOver: () => boolean): DeliveryPorts['receiver']['post'] {
    return async (request) => {
      this.world.sent.push(request);
      this.attempts += 1;
      if (this.attempts > 1) this.overlaps += 1;
      await this.sleep(10 * this.draw());
      this.attempts -= 1;
      if (isOver()) return new Promise(() => undefined);
      return respondWith(this.draw() < this.rates.failures ? 503 : 200);
    };
  }
}
