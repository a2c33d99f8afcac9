import { createHash } from 'node:crypto';
import {
  type RequestPaces,
  requestsAtOnce,
  secondsToWait,
} from '../../domain/admission/request-rate.ts';
import type { Clock } from '../../domain/clock.ts';
import { Problem } from '../problems/problem.ts';
import { type ApiRequest, tenantOf } from '../requests/request.ts';
import type { Operation } from './handle.ts';

export interface MeterPorts {
  readonly paces: RequestPaces;
  readonly clock: Clock;
  /** Called when counting fails. The request proceeds: a failed rate limit must not take the API down. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Adds `more` requests to the count of this one.
 * @throws Problem 429
 */
export type Weigh = (request: ApiRequest, more: number) => Promise<void>;

/** For operations whose weight depends on the body. */
export function weighing(ports: MeterPorts): Weigh {
  return (request, more) =>
    more > 0 ? count(ports, request, new Set(), more, 1 + more) : Promise.resolve();
}

/** Counts every request against its tenant's rate, and responds with 429 beyond it. */
export function metered(ports: MeterPorts, operation: Operation): Operation {
  /** Tenants whose last request in this container got 429. Their next request is counted before it runs. */
  const throttledTenants = new Set<string>();
  return async (request) => {
    const waits = throttledTenants.has(tenantOf(request)) || !isRead(request);
    const counted = count(ports, request, throttledTenants);
    if (waits) {
      await counted;
      return operation(request);
    }
    // A read runs while it is counted, so that counting adds no latency. Both are awaited, because
    // Lambda freezes the container after the response.
    const [verdict, response] = await Promise.allSettled([counted, operation(request)]);
    if (verdict.status === 'rejected') throw verdict.reason;
    if (response.status === 'rejected') throw response.reason;
    return response.value;
  };
}

/** By its client, operation and parameters. The body is left out: it may be decompressed in between. */
function fingerprintOf({ method, path, query, header }: ApiRequest): string {
  const client = [header('x-forwarded-for')?.split(',')[0], header('user-agent')];
  const sent = [header('idempotency-key'), header('content-length')];
  const parts = [method, path, [...query], client, sent];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

function isRead({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @throws Problem 429 */
async function count(
  { paces, clock, onFailure }: MeterPorts,
  request: ApiRequest,
  throttledTenants: Set<string>,
  weight = 1,
  repeated = weight,
): Promise<void> {
  const { requestsPerMinute } = request;
  const tenant = tenantOf(request);
  const paced = { tenant, fingerprint: fingerprintOf(request), weight };
  let wait: number | null = null;
  try {
    wait = await secondsToWait(paces, paced, requestsPerMinute, clock(), repeated);
  } catch (error) {
    onFailure(error);
  }
  if (wait === null) {
    throttledTenants.delete(tenant);
    return;
  }
  throttledTenants.add(tenant);
  throw new Problem(
    'throttled',
    `The limit is ${requestsPerMinute} requests per minute, ${requestsAtOnce(requestsPerMinute)} of them at once; retry in ${wait} s.`,
    { headers: { 'Retry-After': String(wait) } },
  );
}
