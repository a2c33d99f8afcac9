import { randomUUID } from 'node:crypto';
import { type Clock, timestamp } from '../clock.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Receiver } from './receiver.ts';
import { sampleBody } from './sample.ts';
import { signatureHeaders } from './signature.ts';

/** Enough for a person; too few to flood someone else's server. */
export const TESTS_PER_MINUTE = 10;

/** Port to the counter of a tenant's test deliveries. */
export interface TestAllowance {
  /** Takes one test delivery of the minute (`YYYY-MM-DDTHH:MM`, UTC), if one is left. */
  take(tenant: string, minute: string, allowed: number): Promise<'taken' | 'used-up'>;
}

export interface TestDeliveryPorts {
  readonly allowance: TestAllowance;
  readonly receiver: Receiver;
  readonly clock: Clock;
}

export interface TestReceiver {
  readonly url: string;
  /** Signs this one request and is not stored; null = unsigned. */
  readonly secret: string | null;
}

export type TestDelivery =
  | {
      readonly kind: 'sent';
      readonly outcome: Outcome;
      readonly durationMs: number;
      readonly eventId: string;
      readonly bodyBytes: number;
    }
  | { readonly kind: 'used-up'; readonly retryAfterSeconds: number };

/** Sends one sample, once, the way {@link deliver} does, and returns the outcome. */
export async function testDelivery(
  { allowance, receiver, clock }: TestDeliveryPorts,
  tenant: string,
  { url, secret }: TestReceiver,
): Promise<TestDelivery> {
  const started = clock();
  const sentAt = timestamp(started);
  const minute = sentAt.slice(0, 'YYYY-MM-DDTHH:MM'.length);
  if ((await allowance.take(tenant, minute, TESTS_PER_MINUTE)) === 'used-up') {
    return { kind: 'used-up', retryAfterSeconds: 60 - started.getUTCSeconds() };
  }
  const body = sampleBody(tenant, clock);
  const eventId = randomUUID();
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Event': 'batch.completed',
    ...signatureHeaders({ body, secret, eventId, sentAt }),
  };
  const before = clock();
  const outcome = outcomeOf(await receiver.post({ url, headers, body }));
  const durationMs = clock().getTime() - before.getTime();
  return { kind: 'sent', outcome, durationMs, eventId, bodyBytes: body.byteLength };
}
