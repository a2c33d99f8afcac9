/** The contract's 21 minutes 40 seconds of retries in less than a minute: 900 s are 30 s here. */
export const SCHEDULE_FACTOR = 1 / 30;
