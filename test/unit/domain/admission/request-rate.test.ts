import { describe, expect, it } from 'vitest';
import { dynamoRequestPaces } from '../../../../lambdas/adapters/dynamodb/request-paces.ts';
import {
  admitRequest,
  CREATION_PER_UNIT,
  computeWeight,
  countRemainingWeight,
  ESTIMATE_PER_UNIT,
  paceOf,
  requestsAtOnce,
} from '../../../../lambdas/domain/admission/request-rate.ts';
import { inMemoryTable } from '../../../../local/in-memory/dynamodb/table.ts';

const makePaces = () => dynamoRequestPaces(inMemoryTable(() => new Date()));

describe('a request rate', () => {
  it.each([
    [600, 100],
    [60, 10],
    [7, 2],
    [1, 1],
  ])('of %d per minute admits a burst of %d', (perMinute, atOnce) => {
    expect(requestsAtOnce(perMinute)).toBe(atOnce);
    expect(paceOf(perMinute).intervalMs).toBe(60_000 / perMinute);
  });

  it.each([
    ['one job', { jobs: 1, bodyBytes: 200 }, 1],
    ['ten jobs', { jobs: 10, bodyBytes: 5_000 }, 1],
    ['eleven jobs', { jobs: 11, bodyBytes: 5_000 }, 2],
    ['a few jobs with many vertices', { jobs: 4, bodyBytes: 400_000 }, 10],
    ['as many jobs as a batch may have', { jobs: 1_000, bodyBytes: 100_000 }, 50],
    ['a body of the largest size', { jobs: 1_000, bodyBytes: 4_000_000 }, 50],
  ])('counts an estimate of %s (%j) as %i requests', (_, size, requests) => {
    expect(computeWeight(size, ESTIMATE_PER_UNIT, 600)).toBe(requests);
    expect(computeWeight(size, ESTIMATE_PER_UNIT, 1)).toBe(1);
  });

  it.each([
    ['one job', { jobs: 1, bodyBytes: 200 }, 1],
    ['a hundred jobs with few vertices', { jobs: 100, bodyBytes: 40_000 }, 1],
    ['a thousand small jobs', { jobs: 1_000, bodyBytes: 100_000 }, 10],
    ['a thousand jobs with 20 vertices', { jobs: 1_000, bodyBytes: 524_000 }, 14],
    ['a body of the largest size', { jobs: 448, bodyBytes: 4_000_000 }, 50],
  ])('counts a creation of %s (%j) as %i requests', (_, size, requests) => {
    expect(computeWeight(size, CREATION_PER_UNIT, 600)).toBe(requests);
  });

  it.each([6, 60, 600, 60_000])(
    'of %d per minute admits at least six batches of 1,000 small jobs per minute',
    (perMinute) => {
      const weight = computeWeight(
        { jobs: 1_000, bodyBytes: 524_000 },
        CREATION_PER_UNIT,
        perMinute,
      );
      expect(perMinute / weight).toBeGreaterThanOrEqual(6);
    },
  );

  it('returns the fewest whole seconds after which the next request is admitted', async () => {
    const paces = makePaces();
    const come = (ms: number) =>
      admitRequest(paces, 'slow', 6, new Date(Date.parse('2026-03-01T10:00:00.000Z') + ms));
    expect(await come(0)).toBeNull();
    expect(await come(100)).toBe(10);
    expect(await come(10_000)).toBeNull();
  });

  it('admits heavy requests at least half as often as the light ones around them, within the rate', async () => {
    const paces = makePaces();
    const [perMinute, weight] = [600, 50];
    const admitted = { heavy: 0, light: 0 };
    const sent = { heavy: 0, light: 0 };
    // Each second has about a hundred requests, of which one is heavy; the rate is ten a second.
    for (let ms = 0; ms < 600_000; ms += 10) {
      const kind = ms % 1_010 === 0 ? 'heavy' : 'light';
      sent[kind] += 1;
      const at = new Date(ms);
      if ((await admitRequest(paces, 'busy', perMinute, at)) !== null) continue;
      if (kind === 'heavy')
        expect(await countRemainingWeight(paces, 'busy', perMinute, at, 49)).toBeNull();
      admitted[kind] += 1;
    }
    expect(admitted.heavy / sent.heavy).toBeGreaterThan((0.5 * admitted.light) / sent.light);
    const total = admitted.light + weight * admitted.heavy;
    expect(total).toBeLessThanOrEqual(6_000 + requestsAtOnce(perMinute) + weight);
    expect(total).toBeGreaterThan(5_900);
  });
});
