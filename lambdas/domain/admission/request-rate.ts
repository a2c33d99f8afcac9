/** A tenant's request rate: the interval between evenly spaced requests, and how far a burst may run ahead of it. */
export interface Pace {
  readonly intervalMs: number;
  readonly burstMs: number;
}

/** A time in epoch milliseconds. */
type Moment = number;

/**
 * Port to each tenant's due time: the time when all its requests so far would be done if they came at an even rate. One
 * conditional write moves it, so that every request counts exactly once.
 */
export interface RequestPaces {
  /**
   * Moves the due time by `weight` intervals, starting from now if it has passed, unless it is already after `latest`.
   * A due time that is further ahead than {@link furthestDueTime} was stored by a function with a wrong clock; it
   * counts as passed, so that it cannot lock the tenant out.
   * @returns null if the due time was moved, otherwise the stored due time
   */
  take(
    tenant: string,
    pace: Pace,
    now: Moment,
    request: { readonly weight: number; readonly latest: Moment },
  ): Promise<Moment | null>;
}

const MINUTE_MS = 60_000;

/** Bursts are normal, so ten seconds' worth of requests may arrive together. */
const MINUTE_PARTS_AT_ONCE = 6;

export function requestsAtOnce(requestsPerMinute: number): number {
  return Math.ceil(requestsPerMinute / MINUTE_PARTS_AT_ONCE);
}

/**
 * Converts a rate to the parameters of the generic cell rate algorithm (ITU-T I.371, section 5.4.1.2; also known as a
 * leaky bucket).
 */
export function paceOf(requestsPerMinute: number): Pace {
  const intervalMs = MINUTE_MS / requestsPerMinute;
  return { intervalMs, burstMs: requestsAtOnce(requestsPerMinute) * intervalMs };
}

/** Later than requests usually move the due time, with room for clock skew. */
export function furthestDueTime({ burstMs }: Pace, now: Moment): Moment {
  return now + 2 * burstMs;
}

/** `bodyBytes` is the size without compression. */
export interface BodySize {
  readonly jobs: number;
  readonly bodyBytes: number;
}

/** The largest estimate of weight 1. */
export const ESTIMATE_PER_UNIT: BodySize = { jobs: 10, bodyBytes: 40_000 };

/** The largest creation of weight 1. `bench/hostile-bodies.bench.ts` measures the worst bodies. */
export const CREATION_PER_UNIT: BodySize = { jobs: 100, bodyBytes: 40_000 };

/** The largest total of weight 1. */
export const TOTAL_PER_UNIT: BodySize = { jobs: 100, bodyBytes: 400_000 };

/**
 * Returns the weight of a creation, an estimate or a total, in requests. The largest takes about half a burst, so that
 * another may follow immediately.
 */
export function computeWeight(
  { jobs, bodyBytes }: BodySize,
  atOne: BodySize,
  requestsPerMinute: number,
): number {
  const weight = Math.max(1, jobs / atOne.jobs, bodyBytes / atOne.bodyBytes);
  return Math.min(Math.ceil(weight), Math.ceil(requestsAtOnce(requestsPerMinute) / 2));
}

/** Checking a destination calls STS and S3 several times, so it counts as further requests. */
export const DESTINATION_REQUESTS = 10;

/** Limited so that a small rate still allows a creation with a destination after a pause. */
export function weighDestination(requestsPerMinute: number): number {
  return Math.min(DESTINATION_REQUESTS, Math.ceil(requestsAtOnce(requestsPerMinute) / 2));
}

/**
 * Counts a request as one, whatever its weight, and admits it while the tenant has not used up its burst.
 * @returns the seconds to wait if the request is refused, otherwise null
 */
export function admitRequest(
  paces: RequestPaces,
  tenant: string,
  requestsPerMinute: number,
  at: Date,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  return moveDueTime(paces, tenant, pace, at, { weight: 1, ahead: pace.burstMs - pace.intervalMs });
}

/**
 * Counts the rest of an admitted request's weight. The rest may exceed the burst, so that light requests cannot starve
 * a heavy one; it is refused only while an earlier request exceeds the burst.
 * @returns the seconds to wait if the request is refused, otherwise null
 */
export function countRemainingWeight(
  paces: RequestPaces,
  tenant: string,
  requestsPerMinute: number,
  at: Date,
  weight: number,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  return moveDueTime(paces, tenant, pace, at, { weight, ahead: pace.burstMs });
}

async function moveDueTime(
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
