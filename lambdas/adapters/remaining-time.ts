/** An invocation keeps this time for the work that follows its last request, and to report a failure. */
const RESERVED_MS = 15_000;

/** A process of Lambda has one invocation at a time. */
let endsAt = Number.POSITIVE_INFINITY;

/** What Lambda passes to a handler. */
interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** Lets {@link remainingMs} know when an invocation of the handler will be stopped. */
export function timed<Event, Result>(
  handler: (event: Event) => Promise<Result>,
): (event: Event, invocation: Invocation) => Promise<Result> {
  return (event, invocation) => {
    endsAt = performance.now() + invocation.getRemainingTimeInMillis() - RESERVED_MS;
    return handler(event);
  };
}

/** Milliseconds that the invocation may still wait for others. */
export function remainingMs(): number {
  return endsAt - performance.now();
}
