/**
 * Every SDK client's time-outs: by default the SDK waits for an answer without end, and so for as
 * long as the function runs. A time-out is a `TimeoutError`, which the SDK tries again by itself.
 */
export const CLIENT_OPTIONS = timingOut({ connectionMs: 1_000, answerMs: 5_000 });

/**
 * For S3 in steps that move whole blocks and parts (up to 10 MiB) and compute between: a blocked
 * event loop also delays the answer it waits for.
 */
export const BODY_CLIENT_OPTIONS = timingOut({ connectionMs: 5_000, answerMs: 60_000 });

function timingOut({ connectionMs, answerMs }: { connectionMs: number; answerMs: number }) {
  return {
    requestHandler: {
      connectionTimeout: connectionMs,
      /** From the request to the head of its answer. */
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      /** Silence in the middle of a body. */
      socketTimeout: answerMs,
    },
  } as const;
}
