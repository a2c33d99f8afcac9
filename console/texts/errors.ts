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
  noBatch: (days: number) =>
    `Your tenant has no batch with this id. Batches and their results are deleted ${count(days, 'day')} after their submission.`,
  expired: (days: number) =>
    `The batch has expired: batches and their results are deleted ${count(days, 'day')} after their submission. Submit its fields again to get new results.`,
  key: 'The service no longer accepts the key.',
  unknown: 'The page failed. Reload it; if it fails again, tell your operator.',
} as const;
