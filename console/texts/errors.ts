import { count } from '../numbers.ts';

export const ERRORS = {
  delayed: (seconds: number) =>
    `The service does not respond; trying again in ${count(seconds, 'second')}.`,
  throttled: (seconds: number) => `Too many requests; trying again in ${count(seconds, 'second')}.`,
  key: 'The service no longer accepts the key. Reload the page and enter a valid one.',
  unknown: 'The page failed. Reload it; if it fails again, tell your operator.',
} as const;
