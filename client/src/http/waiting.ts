/** `setTimeout` fires immediately for more than 2^31 - 1 ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** @throws the reason of the signal as soon as it aborts */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(milliseconds, 0), LONGEST_MS));
  });
  try {
    await (signal === undefined ? slept : unlessAborted(signal, slept));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Aborts a controller as soon as a signal aborts; returns a function that ends this link. `AbortSignal.any` is
 * not enough: if only the composite signal refers to a source such as `AbortSignal.timeout`, Node may collect
 * the source as garbage and lose its abort (https://github.com/nodejs/node/issues/57736).
 */
export function abortWith(
  signal: AbortSignal | undefined,
  controller: AbortController,
): () => void {
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/**
 * Waits for a promise until a signal aborts. Node's `fetch` itself may miss the abort after garbage collection
 * (https://github.com/nodejs/undici/issues/3644).
 * @throws the reason of the signal
 */
async function unlessAborted<Value>(signal: AbortSignal, pending: Promise<Value>): Promise<Value> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Runs work with a signal that aborts when the given signal does, or with the error `late` after a time limit. Limits
 * beyond the longest timer, about 25 days, have no effect.
 */
export async function withTimeout<Value>(
  milliseconds: number,
  late: () => Error,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const stopFollowing = abortWith(signal, controller);
  const isLimited = milliseconds <= LONGEST_MS;
  const timer = isLimited ? setTimeout(() => controller.abort(late()), milliseconds) : undefined;
  try {
    return await unlessAborted(controller.signal, work(controller.signal));
  } finally {
    clearTimeout(timer);
    stopFollowing();
  }
}
