import {
  type RequestPaces,
  requestsAtOnce,
  secondsToWait,
} from '../../domain/admission/request-rate.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Operation } from './handle.ts';
import { Problem } from './problem.ts';
import { type ApiRequest, tenantOf } from './request.ts';

export interface MeterPorts {
  readonly paces: RequestPaces;
  readonly clock: Clock;
  /** Told of a count that failed; the request goes on, for a limit is no reason to be down. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Counts a request as so many more than it has been counted as.
 * @throws Problem 429
 */
export type Weigh = (request: ApiRequest, more: number) => Promise<void>;

/** For operations that find out only from the body how much they are asked to do. */
export function weighing(ports: MeterPorts): Weigh {
  return (request, more) => (more > 0 ? count(ports, request, new Set(), more) : Promise.resolve());
}

/** Counts every request against its tenant's rate, and answers 429 to those that are too many. */
export function metered(ports: MeterPorts, operation: Operation): Operation {
  /** Tenants whose last request here was one too many: theirs cost nothing before they are counted. */
  const hasty = new Set<string>();
  return async (request) => {
    const waits = hasty.has(tenantOf(request)) || !readsOnly(request);
    const counted = count(ports, request, hasty);
    if (waits) {
      await counted;
      return operation(request);
    }
    // What only reads runs meanwhile, so that counting takes no time of it; both are waited for,
    // because Lambda stops the clock of whatever is left behind.
    const [verdict, answer] = await Promise.allSettled([counted, operation(request)]);
    if (verdict.status === 'rejected') throw verdict.reason;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  };
}

function readsOnly({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @throws Problem 429 */
async function count(
  { paces, clock, onFailure }: MeterPorts,
  request: ApiRequest,
  hasty: Set<string>,
  weight = 1,
): Promise<void> {
  const { requestsPerMinute } = request;
  const tenant = tenantOf(request);
  let wait: number | null = null;
  try {
    wait = await secondsToWait(paces, tenant, requestsPerMinute, clock(), weight);
  } catch (error) {
    onFailure(error);
  }
  if (wait === null) {
    hasty.delete(tenant);
    return;
  }
  hasty.add(tenant);
  throw new Problem(
    'throttled',
    `You may send ${requestsPerMinute} requests a minute, ${requestsAtOnce(requestsPerMinute)} of them at once; ask again in ${wait} s.`,
    { headers: { 'Retry-After': String(wait) } },
  );
}
