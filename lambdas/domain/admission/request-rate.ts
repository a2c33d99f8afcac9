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
 * step, so that no two requests take the same place.
 */
export interface RequestPaces {
  admit(tenant: string, pace: Pace, now: Moment): Promise<PaceOutcome>;
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

/** Counts one request of the tenant. @returns the seconds to wait when it is one too many */
export async function secondsToWait(
  paces: RequestPaces,
  tenant: string,
  requestsPerMinute: number,
  now: Date,
): Promise<number | null> {
  const pace = paceOf(requestsPerMinute);
  const outcome = await paces.admit(tenant, pace, now.getTime());
  if (outcome.kind === 'admitted') return null;
  const waitMs = outcome.due - pace.aheadMs - now.getTime();
  return Math.max(Math.ceil(waitMs / 1_000), 1);
}
