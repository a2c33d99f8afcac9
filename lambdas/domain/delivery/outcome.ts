import type { Timestamp } from '../clock.ts';

/** What happened between us and the receiver, as far as it went. */
export type Exchange =
  | { readonly kind: 'answered'; readonly statusCode: number }
  /** Never sent: the receiver is none we may send to. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'failed';
      readonly cause: 'timeout' | 'dns' | 'tls' | 'connection' | 'ipv6';
      /** The system's own word for it, such as `ECONNREFUSED`; of several addresses, one for each. */
      readonly detail: string;
    };

export interface Outcome {
  readonly verdict: 'acknowledged' | 'permanent' | 'retry';
  readonly statusCode: number | null;
  /** For a person reading the delivery log. */
  readonly reason: string;
}

/** One line of the delivery log. */
export interface DeliveryAttempt extends Outcome {
  /** Counted from 1. */
  readonly attempt: number;
  readonly startedAt: Timestamp;
  readonly durationMs: number;
  readonly bodyBytes: number;
  /** Null when this was the last one. */
  readonly nextAttemptAt: Timestamp | null;
}

/** The specification's rules for what a receiver's answer means. */
export function outcomeOf(exchange: Exchange): Outcome {
  switch (exchange.kind) {
    case 'answered':
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
  timeout: 'the receiver did not answer in time',
  dns: "the receiver's name could not be resolved",
  tls: 'no trusted TLS connection to the receiver',
  connection: 'the connection to the receiver failed',
  ipv6: 'the receiver has only IPv6 addresses, and the service on AWS connects over IPv4 only',
} as const;

function outcomeOfStatus(statusCode: number): Outcome {
  const answer = `the receiver answered ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) {
    return { verdict: 'acknowledged', statusCode, reason: `${answer}: acknowledged` };
  }
  if (statusCode >= 300 && statusCode < 400) {
    return {
      verdict: 'permanent',
      statusCode,
      reason: `${answer}: redirects are not followed, permanent`,
    };
  }
  if (statusCode >= 400 && statusCode < 500) {
    return { verdict: 'permanent', statusCode, reason: `${answer}: permanent` };
  }
  return { verdict: 'retry', statusCode, reason: `${answer}: temporary` };
}
