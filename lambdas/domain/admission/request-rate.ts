/** A tenant's requests: so far apart when they come evenly, and how far they may run ahead of that. */
export interface Pace {
  readonly intervalMs: number;
  readonly aheadMs: number;
}

/** Epoch milliseconds. */
type Moment = number;

export type PaceOutcome =
  | { readonly kind: 'admitted' }
  /** When the tenant's next request would be due, if all came evenly. */
  | { readonly kind: 'refused'; readonly due: Moment };

/**
 * Port to when each tenant's next request is due. A request at `now` is admitted as long as that is
 * at most `now + aheadMs`, and puts it off by one interval, from now or later; in one conditional
 * step, so that no two requests take the same place. One that weighs as much as several puts it off
 * by as many intervals.
 */
export interface RequestPaces {
  admit(tenant: string, pace: Pace, now: Moment, weight: number): Promise<PaceOutcome>;
}

const MINUTE_MS = 60_000;

/** A page that asks for much at once is no flood: ten seconds' worth may come together. */
const MINUTE_PARTS_AT_ONCE = 6;

/** How many requests may come at once, after a pause. */
export function requestsAtOnce(requestsPerMinute: number): number {
  return Math.ceil(requestsPerMinute / MINUTE_PARTS_AT_ONCE);
}

/**
 * The generic cell rate algorithm (ITU-T I.371, section 5.4.1.2; also known as a leaky bucket): one
 * moment a tenant is all that must be remembered.
 */
export function paceOf(requestsPerMinute: number): Pace {
  const intervalMs = MINUTE_MS / requestsPerMinute;
  return { intervalMs, aheadMs: (requestsAtOnce(requestsPerMinute) - 1) * intervalMs };
}

/** How much a request with a batch in its body asks for; its bytes are counted unpacked. */
export interface BodySize {
  readonly jobs: number;
  readonly bodyBytes: number;
}

/** What an estimate may plan at the weight of one request. */
export const ESTIMATE_PER_UNIT: BodySize = { jobs: 10, bodyBytes: 40_000 };

/**
 * What a creation may hold at the weight of one request: 40 kB of the worst bodies take 9 ms of CPU
 * (bench/create-worst-body.bench.ts), a hundred jobs of 20 vertices 3 ms (create-and-status).
 */
export const CREATION_PER_UNIT: BodySize = { jobs: 100, bodyBytes: 40_000 };

/**
 * How many requests a creation or an estimate counts as. A full one takes half of what may come at
 * once, so that another may follow, and a tenant's come five seconds apart, whatever its rate: they
 * keep no whole processor busy.
 */
export function weightOf(
  { jobs, bodyBytes }: BodySize,
  atOne: BodySize,
  requestsPerMinute: number,
): number {
  const weight = Math.max(1, jobs / atOne.jobs, bodyBytes / atOne.bodyBytes);
  return Math.min(Math.ceil(weight), Math.ceil(requestsAtOnce(requestsPerMinute) / 2));
}

/** Counts a request of the tenant. @returns the seconds to wait when it is one too many */
export async function secondsToWait(
  paces: RequestPaces,
  tenant: string,
  requestsPerMinute: number,
  now: Date,
  weight = 1,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  const outcome = await paces.admit(tenant, pace, now.getTime(), weight);
  if (outcome.kind === 'admitted') return null;
  const waitMs = outcome.due - pace.aheadMs - now.getTime();
  return Math.max(Math.ceil(waitMs / 1_000), 1);
}
