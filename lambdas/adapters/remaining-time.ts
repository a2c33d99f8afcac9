/** Reserved for the work after an invocation's last request, and for reporting a failure. */
const RESERVED_MS = 15_000;

/** A Lambda process has one invocation at a time. */
let endsAt = Number.POSITIVE_INFINITY;

interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** Wraps a handler, so that {@link remainingMs} knows when Lambda will stop the invocation. */
export function trackRemainingTime<Event, Result>(
  handler: (event: Event) => Promise<Result>,
): (event: Event, invocation: Invocation) => Promise<Result> {
  return (event, invocation) => {
    endsAt = performance.now() + invocation.getRemainingTimeInMillis() - RESERVED_MS;
    return handler(event);
  };
}

/** Returns the milliseconds that the invocation may still spend on requests and waits. */
export function remainingMs(): number {
  return endsAt - performance.now();
}
