/** `setTimeout` fires at once for more than 2^31 - 1 ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** @throws the reason of the signal as soon as it aborts */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(Math.max(milliseconds, 0), LONGEST_MS),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A signal of several; undefined without any. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
