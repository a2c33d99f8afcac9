import { describe, expect, it } from 'vitest';
import {
  paceOf,
  requestsAtOnce,
  secondsToWait,
  weightOfEstimate,
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
    expect(weightOfEstimate(size, 600)).toBe(requests);
    expect(weightOfEstimate(size, 1)).toBe(1);
  });

  it('tells whole seconds after which the next request is let in, and no sooner than needed', async () => {
    const paces = inMemoryRequestPaces();
    const at = (ms: number) => new Date(Date.parse('2026-03-01T10:00:00.000Z') + ms);
    expect(await secondsToWait(paces, 'slow', 6, at(0))).toBeNull();
    expect(await secondsToWait(paces, 'slow', 6, at(100))).toBe(10);
    expect(await secondsToWait(paces, 'slow', 6, at(9_999))).toBe(1);
    expect(await secondsToWait(paces, 'slow', 6, at(10_000))).toBeNull();
  });
});
