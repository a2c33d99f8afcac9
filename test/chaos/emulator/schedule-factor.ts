/** Shortens the contract's 21 minutes 40 seconds of retries to less than a minute. */
export const SCHEDULE_FACTOR = 1 / 30;
