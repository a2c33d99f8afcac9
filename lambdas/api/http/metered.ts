import {
  admitRequest,
  countRemainingWeight,
  type RequestPaces,
  requestsAtOnce,
} from '../../domain/admission/request-rate.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Operation } from './handle.ts';
import { Problem } from './problem.ts';
import { type ApiRequest, tenantOf } from './request.ts';

export interface MeterPorts {
  readonly paces: RequestPaces;
  readonly clock: Clock;
  /**
   * Called when counting fails. The request proceeds, because a failure of the rate limit must not take the API down.
   */
  readonly onFailure: (error: unknown) => void;
}

/** Counts further units of a request, which already counts as one, against the rate. @throws Problem 429 */
export type Weigher = (request: ApiRequest, more: number) => Promise<void>;

export function createWeigher(ports: MeterPorts): Weigher {
  return async (request, more) => {
    if (more > 0) await count(ports, request, more);
  };
}

export function meterOperation(ports: MeterPorts, operation: Operation): Operation {
  /**
   * Tenants whose last request to this operation in this container exceeded the rate. Their next request is counted
   * before it runs.
   */
  const throttledTenants = new Set<string>();
  return async (request) => {
    const tenant = tenantOf(request);
    const waits = throttledTenants.has(tenant) || !isRead(request);
    const counted = count(ports, request).then(
      () => void throttledTenants.delete(tenant),
      (problem: unknown) => {
        throttledTenants.add(tenant);
        throw problem;
      },
    );
    if (waits) {
      await counted;
      return operation(request);
    }
    // A read runs while it is counted, so that counting adds no latency. Both are awaited, because Lambda freezes the
    // container after the response.
    const [verdict, response] = await Promise.allSettled([counted, operation(request)]);
    if (verdict.status === 'rejected') throw verdict.reason;
    if (response.status === 'rejected') throw response.reason;
    return response.value;
  };
}

function isRead({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * @param rest the weight of an admitted request beyond one unit; if absent, the request itself is counted
 * @throws Problem 429
 */
async function count(
  { paces, clock, onFailure }: MeterPorts,
  request: ApiRequest,
  rest?: number,
): Promise<void> {
  const { requestsPerMinute } = request;
  const counted = [paces, tenantOf(request), requestsPerMinute, clock()] as const;
  let wait: number | null = null;
  try {
    wait = await (rest === undefined
      ? admitRequest(...counted)
      : countRemainingWeight(...counted, rest));
  } catch (error) {
    onFailure(error);
  }
  if (wait === null) return;
  throw new Problem(
    'throttled',
    `The limit is ${requestsPerMinute} requests per minute, ${requestsAtOnce(requestsPerMinute)} of them in a burst; retry in ${wait} s.`,
    { headers: { 'Retry-After': String(wait) } },
  );
}
