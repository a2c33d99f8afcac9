import { describe, expect, it } from 'vitest';
import {
  MAX_ATTEMPTS,
  MAX_DELAY_SECONDS,
  nextAttemptAfter,
  RETRY_DELAYS_SECONDS,
  secondsUntil,
} from '../../../lambdas/domain/delivery/schedule.ts';

const FAILED_AT = '2026-03-01T12:00:00.250Z';

describe('the retry schedule', () => {
  it('follows the specification: five retries after 10 s, 30 s, 1 min, 5 min and 15 min', () => {
    const due = [1, 2, 3, 4, 5].map((attempt) => nextAttemptAfter(attempt, FAILED_AT));
    expect(due).toEqual([
      '2026-03-01T12:00:10.250Z',
      '2026-03-01T12:00:30.250Z',
      '2026-03-01T12:01:00.250Z',
      '2026-03-01T12:05:00.250Z',
      '2026-03-01T12:15:00.250Z',
    ]);
  });

  it('scales every delay by the same factor', () => {
    const due = [1, 2, 3, 4, 5].map((attempt) => nextAttemptAfter(attempt, FAILED_AT, 0.1));
    expect(due).toEqual([
      '2026-03-01T12:00:01.250Z',
      '2026-03-01T12:00:03.250Z',
      '2026-03-01T12:00:06.250Z',
      '2026-03-01T12:00:30.250Z',
      '2026-03-01T12:01:30.250Z',
    ]);
  });

  it('ends with the sixth attempt', () => {
    expect(MAX_ATTEMPTS).toBe(6);
    expect(nextAttemptAfter(6, FAILED_AT)).toBeNull();
  });

  it('never exceeds the longest SQS delay', () => {
    expect(Math.max(...RETRY_DELAYS_SECONDS)).toBeLessThanOrEqual(MAX_DELAY_SECONDS);
  });
});

describe('the message delay until a due time', () => {
  it.each([
    ['a fraction of a second away', '2026-03-01T12:00:00.251Z', 1],
    ['exactly ten seconds away', '2026-03-01T12:00:10.250Z', 10],
    ['a little more than ten seconds away', '2026-03-01T12:00:10.251Z', 11],
    ['now', FAILED_AT, 0],
    ['in the past', '2026-03-01T11:00:00.000Z', 0],
    ['beyond the longest message delay', '2026-03-01T13:00:00.000Z', 900],
  ])(
    'is rounded up to whole seconds, from 0 to the longest delay, if the time is %s',
    (_case, due, seconds) => {
      expect(secondsUntil(due, FAILED_AT)).toBe(seconds);
    },
  );
});
