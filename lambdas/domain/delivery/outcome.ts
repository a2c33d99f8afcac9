import type { Timestamp } from '../clock.ts';

/** How far the HTTP exchange with the receiver went. */
export type Exchange =
  | { readonly kind: 'responded'; readonly statusCode: number }
  /** Nothing was sent: the receiver policy forbids it. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'failed';
      readonly cause: 'timeout' | 'dns' | 'tls' | 'connection' | 'ipv6';
      /** The system error code, such as `ECONNREFUSED`; one per address tried. */
      readonly detail: string;
    };

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Port to the client's receiver. Never throws for a fault of the receiver or the network. */
export interface Receiver {
  post(request: WebhookRequest): Promise<Exchange>;
}

export interface Outcome {
  readonly verdict: 'acknowledged' | 'permanent' | 'retry';
  readonly statusCode: number | null;
  /** A sentence for the person who reads the delivery log. */
  readonly reason: string;
}

/** One entry of the delivery log. */
export interface DeliveryAttempt extends Outcome {
  /** Attempts are counted from 1. */
  readonly attempt: number;
  readonly startedAt: Timestamp;
  readonly durationMs: number;
  readonly bodyBytes: number;
  /** It is null after the last attempt. */
  readonly nextAttemptAt: Timestamp | null;
}

/** Classifies an exchange by the rules of the specification. */
export function outcomeOf(exchange: Exchange): Outcome {
  switch (exchange.kind) {
    case 'responded':
      return outcomeOfStatus(exchange.statusCode);
    case 'refused':
      return { verdict: 'permanent', statusCode: null, reason: `not sent: ${exchange.reason}` };
    case 'failed':
      return {
        verdict: 'retry',
        statusCode: null,
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

function outcomeOfStatus(statusCode: number): Outcome {
  const response = `the receiver responded with ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) {
    return { verdict: 'acknowledged', statusCode, reason: `${response}: acknowledged` };
  }
  if (statusCode >= 300 && statusCode < 400) {
    return {
      verdict: 'permanent',
      statusCode,
      reason: `${response}: redirects are not followed, permanent`,
    };
  }
  if (statusCode >= 400 && statusCode < 500) {
    return { verdict: 'permanent', statusCode, reason: `${response}: permanent` };
  }
  return { verdict: 'retry', statusCode, reason: `${response}: temporary` };
}
