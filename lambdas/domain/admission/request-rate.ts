/** A tenant's request rate: the interval between evenly spaced requests, and the time that a burst makes up. */
export interface Pace {
  readonly intervalMs: number;
  readonly burstMs: number;
}

/** A time in epoch milliseconds. */
type Moment = number;

/**
 * Port to the time at which each tenant has made up for all its requests at an even rate. One conditional
 * write moves it, so that no request is lost or counted twice.
 */
export interface RequestPaces {
  /**
   * Moves the time by `weight` intervals, counted from now if it has passed, unless it is beyond
   * `latest`. A time further ahead than {@link furthestOf} was stored by a function whose clock is wrong:
   * it counts as passed, so that it cannot lock the tenant out.
   * @returns null if the time was moved, otherwise the stored time
   */
  take(
    tenant: string,
    pace: Pace,
    now: Moment,
    request: { readonly weight: number; readonly latest: Moment },
  ): Promise<Moment | null>;
}

const MINUTE_MS = 60_000;

/** Bursts are normal: ten seconds' worth of requests may arrive at once. */
const MINUTE_PARTS_AT_ONCE = 6;

/** The largest burst of requests after a pause. */
export function requestsAtOnce(requestsPerMinute: number): number {
  return Math.ceil(requestsPerMinute / MINUTE_PARTS_AT_ONCE);
}

/**
 * The generic cell rate algorithm (ITU-T I.371, section 5.4.1.2), also known as a leaky bucket. It
 * stores one time per tenant.
 */
export function paceOf(requestsPerMinute: number): Pace {
  const intervalMs = MINUTE_MS / requestsPerMinute;
  return { intervalMs, burstMs: requestsAtOnce(requestsPerMinute) * intervalMs };
}

/** Requests move the time to one and a half bursts ahead at most; the rest allows for clocks that differ. */
export function furthestOf({ burstMs }: Pace, now: Moment): Moment {
  return now + 2 * burstMs;
}

/** The size of a request that carries a batch; bytes are counted after decompression. */
export interface BodySize {
  readonly jobs: number;
  readonly bodyBytes: number;
}

/** How large an estimate may be at weight 1. */
export const ESTIMATE_PER_UNIT: BodySize = { jobs: 10, bodyBytes: 40_000 };

/**
 * How large a creation may be at weight 1: 40 kB of the worst bodies take 12 ms of CPU
 * (bench/hostile-bodies.bench.ts), a hundred jobs of 20 vertices 3 ms.
 */
export const CREATION_PER_UNIT: BodySize = { jobs: 100, bodyBytes: 40_000 };

/**
 * How large a total may be at weight 1: a hundred neighbouring fields take 0.1 s of CPU, 400 kB of the worst
 * polygons 0.2 s (bench/hostile-bodies.bench.ts).
 */
export const TOTAL_PER_UNIT: BodySize = { jobs: 100, bodyBytes: 400_000 };

/**
 * The weight of a creation, an estimate or a total, in requests. The largest takes half a burst, so that another
 * may follow at once; then a tenant's are at least five seconds apart, whatever its rate, and cannot
 * keep a processor busy.
 */
export function computeWeight(
  { jobs, bodyBytes }: BodySize,
  atOne: BodySize,
  requestsPerMinute: number,
): number {
  const weight = Math.max(1, jobs / atOne.jobs, bodyBytes / atOne.bodyBytes);
  return Math.min(Math.ceil(weight), Math.ceil(requestsAtOnce(requestsPerMinute) / 2));
}

/**
 * Counts a request as one, whatever it weighs: it is admitted while the tenant has not used up its burst.
 * @returns the seconds to wait if it is refused, otherwise null
 */
export function admitRequest(
  paces: RequestPaces,
  tenant: string,
  requestsPerMinute: number,
  at: Date,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  return take(paces, tenant, pace, at, { weight: 1, ahead: pace.burstMs - pace.intervalMs });
}

/**
 * Counts the rest of an admitted request's weight. It may go beyond the burst, so that a heavy request does
 * not starve behind light ones; it is refused only while another one has done so.
 * @returns the seconds to wait if it is refused, otherwise null
 */
export function countRest(
  paces: RequestPaces,
  tenant: string,
  requestsPerMinute: number,
  at: Date,
  weight: number,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  return take(paces, tenant, pace, at, { weight, ahead: pace.burstMs });
}

async function take(
  paces: RequestPaces,
  tenant: string,
  pace: Pace,
  at: Date,
  { weight, ahead }: { readonly weight: number; readonly ahead: number },
): Promise<number | null> {
  const now = at.getTime();
  const due = await paces.take(tenant, pace, now, { weight, latest: now + ahead });
  return due === null ? null : Math.max(Math.ceil((due - ahead - now) / 1_000), 1);
}
