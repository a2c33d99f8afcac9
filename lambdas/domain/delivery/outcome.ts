import * as z from 'zod/mini';
import { time, type ViewOf } from '../wire.ts';
import { attemptOutcome, deliveryAttempt, eventName, webhookId } from './delivery-schema.ts';

export type Exchange =
  | { readonly kind: 'responded'; readonly statusCode: number }
  /** Nothing was sent, because the receiver policy forbids it. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'failed';
      readonly cause: 'timeout' | 'dns' | 'tls' | 'connection' | 'ipv6';
      /** What happened, such as the distinct system error codes of the addresses tried (`ECONNREFUSED`). */
      readonly detail: string;
    };

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Port to the client's receiver. It never throws because of the receiver or the network. */
export interface Receiver {
  post(request: WebhookRequest): Promise<Exchange>;
}

export const loggedAttempt = z.object({
  event: eventName,
  /** The `webhook-id` of the request. */
  event_id: webhookId,
  verdict: attemptOutcome,
  ...z.omit(deliveryAttempt, { webhook_id: true, outcome: true, next_attempt_at: true }).shape,
  /**
   * When the next attempt is due; null after the last attempt. Not named `next_attempt_at`, because that is an index
   * key, which cannot be null.
   */
  retry_at: z.nullable(time),
});

export interface LoggedAttempt extends ViewOf<typeof loggedAttempt> {}

export type Outcome = Pick<LoggedAttempt, 'verdict' | 'status_code' | 'reason'>;

export function classifyExchange(exchange: Exchange): Outcome {
  switch (exchange.kind) {
    case 'responded':
      return classifyStatusCode(exchange.statusCode);
    case 'refused':
      return { verdict: 'permanent', status_code: null, reason: `not sent: ${exchange.reason}` };
    case 'failed':
      return {
        verdict: 'retry',
        status_code: null,
        reason: `${FAILURES[exchange.cause]} (${exchange.detail}): temporary`,
      };
  }
}

const FAILURES = {
  timeout: 'the receiver did not respond in time',
  dns: "the receiver's host name could not be resolved",
  tls: 'no trusted TLS connection to the receiver',
  connection: 'the connection to the receiver failed',
  ipv6: 'the receiver has only IPv6 addresses, and the service on AWS connects over IPv4 only',
} as const;

function classifyStatusCode(status_code: number): Outcome {
  const response = `the receiver responded with ${status_code}`;
  if (status_code >= 200 && status_code < 300) {
    return { verdict: 'acknowledged', status_code, reason: `${response}: acknowledged` };
  }
  if (status_code >= 300 && status_code < 400) {
    return {
      verdict: 'permanent',
      status_code,
      reason: `${response}, and redirects are not followed: permanent`,
    };
  }
  if (status_code >= 400 && status_code < 500) {
    return { verdict: 'permanent', status_code, reason: `${response}: permanent` };
  }
  return { verdict: 'retry', status_code, reason: `${response}: temporary` };
}
