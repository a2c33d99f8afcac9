import { count } from '../numbers.ts';

export const ERRORS = {
  delayed: (seconds: number) =>
    `The service does not respond; trying again in ${count(seconds, 'second')}.`,
  disconnected: (seconds: number) =>
    `No connection to the service; trying again in ${count(seconds, 'second')}.`,
  throttled: (seconds: number) => `Too many requests; trying again in ${count(seconds, 'second')}.`,
  again: 'Try again',
  network: 'There is no connection to the service.',
  otherServer:
    'The response is not one of the service. A proxy or the sign-in page of a network may have sent it.',
  key: 'The service no longer accepts the key.',
  unknown: 'The page failed. Reload it; if it fails again, tell your operator.',
} as const;
