/**
 * A step failed for a reason that may pass at once: contention, throttling, a fault of a service. Step
 * Functions retries it by this literal name, which survives minification.
 */
export class TransientFailure extends Error {
  override readonly name = 'TransientFailure';
}
