import { describe, expect, it } from 'vitest';
import {
  CREATION_PER_UNIT,
  ESTIMATE_PER_UNIT,
  paceOf,
  requestsAtOnce,
  secondsToWait,
  weightOf,
} from '../../../../lambdas/domain/admission/request-rate.ts';
import { inMemoryRequestPaces } from '../../../../local/in-memory/request-paces.ts';
import { requestPacesContract } from '../in-memory/request-paces-contract.ts';

requestPacesContract('memory', inMemoryRequestPaces(), 100);

describe('a rate of requests', () => {
  it.each([
    [600, 100],
    [60, 10],
    [7, 2],
    [1, 1],
  ])('of %d a minute lets %d come at once', (perMinute, atOnce) => {
    expect(requestsAtOnce(perMinute)).toBe(atOnce);
    expect(paceOf(perMinute).intervalMs).toBe(60_000 / perMinute);
  });

  it.each([
    ['one job', { jobs: 1, bodyBytes: 200 }, 1],
    ['ten jobs', { jobs: 10, bodyBytes: 5_000 }, 1],
    ['eleven jobs', { jobs: 11, bodyBytes: 5_000 }, 2],
    ['a few jobs of many vertices', { jobs: 4, bodyBytes: 400_000 }, 10],
    ['as many as a batch may hold', { jobs: 1_000, bodyBytes: 100_000 }, 50],
    ['as much as a body may hold', { jobs: 1_000, bodyBytes: 4_000_000 }, 50],
  ])('is used up by an estimate of %s as by so many requests', (_, size, requests) => {
    expect(weightOf(size, ESTIMATE_PER_UNIT, 600)).toBe(requests);
    expect(weightOf(size, ESTIMATE_PER_UNIT, 1)).toBe(1);
  });

  it.each([
    ['one job', { jobs: 1, bodyBytes: 200 }, 1],
    ['a hundred jobs of few vertices', { jobs: 100, bodyBytes: 40_000 }, 1],
    ['a thousand jobs of few bytes', { jobs: 1_000, bodyBytes: 100_000 }, 10],
    ['a thousand jobs of 20 vertices', { jobs: 1_000, bodyBytes: 524_000 }, 14],
    ['as much as a body may hold', { jobs: 448, bodyBytes: 4_000_000 }, 50],
  ])('is used up by a creation of %s as by so many requests', (_, size, requests) => {
    expect(weightOf(size, CREATION_PER_UNIT, 600)).toBe(requests);
  });

  it.each([6, 60, 600, 60_000])(
    'of %d per minute admits several batches of 1,000 small jobs per minute',
    (perMinute) => {
      const weight = weightOf({ jobs: 1_000, bodyBytes: 524_000 }, CREATION_PER_UNIT, perMinute);
      expect(perMinute / weight).toBeGreaterThanOrEqual(6);
    },
  );

  it('returns the whole seconds after which the next request is admitted, and no more than needed', async () => {
    const paces = inMemoryRequestPaces();
    const at = (ms: number) => new Date(Date.parse('2026-03-01T10:00:00.000Z') + ms);
    expect(await secondsToWait(paces, 'slow', 6, at(0))).toBeNull();
    expect(await secondsToWait(paces, 'slow', 6, at(100))).toBe(10);
    expect(await secondsToWait(paces, 'slow', 6, at(9_999))).toBe(1);
    expect(await secondsToWait(paces, 'slow', 6, at(10_000))).toBeNull();
  });
});
