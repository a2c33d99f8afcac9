/**
 * A tenant's request rate: the interval between evenly spaced requests, and how far ahead of it they
 * may run.
 */
export interface Pace {
  readonly intervalMs: number;
  readonly aheadMs: number;
}

/** Epoch milliseconds. */
type Moment = number;

export type PaceOutcome =
  | { readonly kind: 'admitted' }
  /** When the tenant's next request is due, if all were evenly spaced. */
  | { readonly kind: 'refused'; readonly due: Moment };

/**
 * Port to the time when each tenant's next request is due. A request at `now` is admitted if that time
 * is at most `now + aheadMs`; it moves the time by one interval, counted from the later of the two. One
 * conditional write, so that two requests never take the same place. A request of weight n moves it by
 * n intervals.
 */
export interface RequestPaces {
  admit(tenant: string, pace: Pace, now: Moment, weight: number): Promise<PaceOutcome>;
  /**
   * Admits a request with a ticket for this moment, ahead of requests without one, and moves the time.
   * Requests of one ticket may weigh as much as it together.
   */
  redeem(request: PacedRequest, pace: Pace, now: Moment): Promise<Redemption>;
  /**
   * Gives a refused request a ticket: the first moment at or after `free` that no other ticket has. If
   * {@link MAX_TICKETS_MS} are given away, only the moment after them.
   */
  giveTicket(request: PacedRequest, pace: Pace, now: Moment, free: Moment): Promise<Moment>;
}

export interface PacedRequest {
  readonly tenant: string;
  /** The same for a request and its repetition, as far as that can be seen. */
  readonly fingerprint: string;
  readonly weight: number;
}

export type Redemption =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'none' }
  /** The request has come before its moment. */
  | { readonly kind: 'early'; readonly from: Moment };

/** How long after its moment a ticket is valid. */
export const TICKET_VALID_MS = 10_000;

/** Clocks and timers differ: a ticket is valid from so long before its moment. */
export const TICKET_EARLY_MS = 250;

/** How far ahead tickets are given. */
export const MAX_TICKETS_MS = 60_000;

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
  return { intervalMs, aheadMs: (requestsAtOnce(requestsPerMinute) - 1) * intervalMs };
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
 * (bench/hostile-bodies.bench.ts), a hundred jobs of 20 vertices 3 ms (create-and-status).
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
export function weightOf(
  { jobs, bodyBytes }: BodySize,
  atOne: BodySize,
  requestsPerMinute: number,
): number {
  const weight = Math.max(1, jobs / atOne.jobs, bodyBytes / atOne.bodyBytes);
  return Math.min(Math.ceil(weight), Math.ceil(requestsAtOnce(requestsPerMinute) / 2));
}

/**
 * Counts a request of the tenant. A throttled request gets a ticket for the end of its
 * `Retry-After`: otherwise all waiting clients would return at once, and others would take their place.
 * @param repeated weight of the request when it is repeated: all that was counted before it was throttled
 * @returns the seconds to wait if it is over the limit, otherwise null
 */
export async function secondsToWait(
  paces: RequestPaces,
  request: PacedRequest,
  requestsPerMinute: number,
  at: Date,
  repeated: number = request.weight,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  const now = at.getTime();
  const outcome = await paces.admit(request.tenant, pace, now, request.weight);
  if (outcome.kind === 'admitted') return null;
  const redemption = await paces.redeem(request, pace, now);
  if (redemption.kind === 'admitted') return null;
  const from =
    redemption.kind === 'early'
      ? redemption.from
      : await paces.giveTicket(
          { ...request, weight: repeated },
          pace,
          now,
          outcome.due - pace.aheadMs,
        );
  return Math.max(Math.ceil((from - now) / 1_000), 1);
}
