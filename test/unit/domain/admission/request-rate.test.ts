import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CREATION_PER_UNIT,
  ESTIMATE_PER_UNIT,
  paceOf,
  requestsAtOnce,
  secondsToWait,
  weightOf,
} from '../../../../lambdas/domain/admission/request-rate.ts';
import { inMemoryRequestPaces } from '../../../../local/in-memory/admission.ts';
import { requestPacesContract } from '../../../support/stores/request-paces-contract.ts';

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
    const come = (ms: number) => {
      const request = { tenant: 'slow', fingerprint: String(ms), weight: 1 };
      return secondsToWait(paces, request, 6, at(ms));
    };
    expect(await come(0)).toBeNull();
    expect(await come(100)).toBe(10);
    expect(await come(10_000)).toBeNull();
  });

  it('tells the same time to a request that comes early, and admits it at that time', async () => {
    const paces = inMemoryRequestPaces();
    const at = (ms: number) => new Date(Date.parse('2026-03-01T10:00:00.000Z') + ms);
    const come = (fingerprint: string, ms: number) =>
      secondsToWait(paces, { tenant: 'slow', fingerprint, weight: 1 }, 6, at(ms));
    expect(await come('a', 0)).toBeNull();
    expect(await come('b', 0)).toBe(10);
    expect(await come('c', 0)).toBe(20);
    expect(await come('b', 4_000)).toBe(6);
    // Before `b`, and without a ticket: it takes the place that is free.
    expect(await come('d', 10_000)).toBeNull();
    expect(await come('b', 10_000)).toBeNull();
    expect(await come('c', 20_000)).toBeNull();
    expect(await come('c', 20_000)).not.toBeNull();
  });

  it('keeps the rate where nobody who is refused comes back', async () => {
    const paces = inMemoryRequestPaces();
    let admitted = 0;
    for (let ms = 0; ms < 600_000; ms += 50) {
      const request = { tenant: 'flood', fingerprint: String(ms), weight: 1 };
      if ((await secondsToWait(paces, request, 600, new Date(ms))) === null) admitted += 1;
    }
    expect(admitted).toBe(6_000 + requestsAtOnce(600) - 1);
  });

  it.each([20, 50])(
    'admits each of %i clients that obey Retry-After, at the rate',
    async (clients) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 10, max: 400 }), { minLength: clients, maxLength: clients }),
          async (latencies) => {
            const paces = inMemoryRequestPaces();
            const queue = latencies.map((latency, client) => ({
              latency,
              client,
              at: client,
              obeyed: false,
            }));
            let [admitted, again] = [0, 0];
            for (;;) {
              const next = queue.reduce((first, one) => (one.at < first.at ? one : first));
              if (next.at > 60_000) break;
              const request = { tenant: 'busy', fingerprint: String(next.client), weight: 1 };
              const wait = await secondsToWait(paces, request, 600, new Date(next.at));
              if (wait === null) admitted += 1;
              else if (next.obeyed) again += 1;
              next.obeyed = wait !== null;
              next.at += next.latency + 1_000 * (wait ?? 0);
            }
            expect(again).toBe(0);
            // Five seconds’ worth beyond the burst: whole seconds let some come earlier than others.
            expect(admitted).toBeLessThanOrEqual(600 + requestsAtOnce(600) + 50);
            expect(admitted).toBeGreaterThan(550);
          },
        ),
        { numRuns: 20 },
      );
    },
  );
});
