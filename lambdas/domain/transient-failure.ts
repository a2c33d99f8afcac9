/**
 * A step could not be done now and may be done again at once: contention, throttling, a service's
 * own error. Step Functions retries it by this literal name, which survives minification.
 */
export class TransientFailure extends Error {
  override readonly name = 'TransientFailure';
}
