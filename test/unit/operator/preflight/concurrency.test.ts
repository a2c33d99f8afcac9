import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Concurrency,
  fitToQuota,
  MIN_CONCURRENCY,
  requiredConcurrency,
} from '../../../../bin/preflight/quotas/concurrency.ts';
import type { Functions } from '../../../../bin/preflight/quotas/functions.ts';
import { LEAST_UNRESERVED, reservedPredictions } from '../../../../lib/config/capacity.ts';
import { stageConfig } from '../../../../lib/config/each-stage.ts';
import { parseConfig, type StageConfig } from '../../../../lib/config/stage-config.ts';
import { findings, known, prod } from './settled-account.ts';

describe('the preflight of an account with low Lambda concurrency', () => {
  const findingWith = (
    concurrency: number,
    stage: 'dev' | 'prod' | StageConfig = 'prod',
    use: Partial<Functions> = {},
  ) => {
    const unused = { reserved: 0, ownReserved: null, busiest: 0, codeBytes: 0 };
    const functions = known({ concurrency, maxCodeBytes: 80_530_636_800, ...unused, ...use });
    const config = typeof stage === 'string' ? stageConfig(stage) : stage;
    return findings({ functions }, config).get('Lambda concurrency');
  };

  it('finds dev fine in a new account, which has 10', () => {
    expect(findingWith(10, 'dev')).toMatchObject({ verdict: 'fine' });
    expect(findingWith(requiredConcurrency(stageConfig('dev')) - 1, 'dev')?.verdict).toBe('raise');
  });

  it('names the quota to raise for prod, and the values that fit the present quota', () => {
    const { verdict, says } = findingWith(10) ?? {};
    expect(verdict).toBe('wrong');
    expect(says).toMatch(/^10;.* 601:.* \(L-B99A9384\)/);
    expect(says?.replace(/.* lib\/config\/each-stage\.ts /, '')).toBe(
      'runningBatches.inAll: 2, runningBatches.reserved: 1, runningBatches.perTenant: 1, concurrency.jobs: 1, ' +
        'concurrency.patchBatches: 2, concurrency.reservePredictions: false, webhooks.concurrency: 2, throttling.requestsPerSecond: 12, ' +
        'throttling.burst: 24, throttling.creations.requestsPerSecond: 12, throttling.creations.burst: 24',
    );
  });

  it('does not count what other functions have reserved', () => {
    expect(findingWith(1_000, 'prod', { reserved: 350 })).toMatchObject({
      verdict: 'fine',
      says: expect.stringMatching(/^650 .*\b1000\b.*\b350\b.*\b601\b/),
    });
    expect(findingWith(1_000, 'prod', { reserved: 400 })).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^600 .*\b1000\b.*\b400\b.*\b601\b/),
    });
  });

  it('does not count what other functions have used in two weeks', () => {
    expect(findingWith(1_000, 'prod', { busiest: 399 })?.verdict).toBe('fine');
    expect(findingWith(1_000, 'prod', { busiest: 400 })).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^600 .*\b1000\b.*\b400\b.*\b601\b/),
    });
    expect(findingWith(1_000, 'prod', { reserved: 300, busiest: 300 })?.verdict).toBe('raise');
    expect(findingWith(1_000, 'prod', { busiest: 1_200 })?.verdict).toBe('raise');
  });

  it('only reports that use once the stage is part of it', () => {
    expect(findingWith(1_000, 'prod', { ownReserved: 0, busiest: 700 })).toMatchObject({
      verdict: 'fine',
      says: expect.stringMatching(/^1000 .*\b700\b/),
    });
  });

  it('requires that a reservation leave 100, and does not count the stage’s own against it', () => {
    expect(findingWith(1_000)?.verdict).toBe('fine');
    expect(findingWith(500)?.verdict).toBe('raise');
    expect(findingWith(499)?.verdict).toBe('wrong');
    const deployed = (reserved: number) =>
      findingWith(1_000, 'prod', { reserved, ownReserved: 400 });
    expect(deployed(400)?.verdict).toBe('fine');
    expect(deployed(910)?.verdict).toBe('wrong');
  });

  it('takes for the stage’s own what it reserves, not what it will reserve', () => {
    // Others reserve 350; the stage now reserves 50 or 600, and will reserve 400.
    for (const ownReserved of [50, 600]) {
      const use = { reserved: 350 + ownReserved, ownReserved };
      expect(findingWith(1_000, 'prod', use)).toMatchObject({
        verdict: 'fine',
        says: expect.stringMatching(/^650 .*\b350\b/),
      });
    }
  });

  it('suggests no values if none fit', () => {
    expect(findingWith(MIN_CONCURRENCY - 1, 'dev')).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/\(L-B99A9384\).* 1$/),
    });
  });

  it('counts predictions, deliveries and requests, which stay under AWS’s default in every stage', () => {
    const { runningBatches, concurrency, webhooks } = prod;
    const predictions = runningBatches.inAll * concurrency.jobs * concurrency.patchBatches;
    expect(requiredConcurrency(prod)).toBeGreaterThanOrEqual(predictions + webhooks.concurrency);
    expect(requiredConcurrency(prod)).toBeLessThan(650);
  });

  it('counts the other steps of jobs besides reserved predictions, whose concurrency they cannot use', () => {
    const { runningBatches, concurrency } = prod;
    const shared = { ...prod, concurrency: { ...concurrency, reservePredictions: false } };
    expect(requiredConcurrency(prod) - requiredConcurrency(shared)).toBe(
      runningBatches.inAll * concurrency.jobs,
    );
  });

  const rate = (most: number) =>
    fc.record({
      requestsPerSecond: fc.integer({ min: 1, max: most }),
      burst: fc.integer({ min: 1, max: most }),
    });
  const stages: fc.Arbitrary<Concurrency> = fc
    .record({
      inAll: fc.integer({ min: 1, max: 1_000 }),
      reserved: fc.integer({ min: 0, max: 999 }),
      perTenant: fc.integer({ min: 1, max: 1_000 }),
      jobs: fc.integer({ min: 1, max: 1_000 }),
      patchBatches: fc.integer({ min: 1, max: 40 }),
      reservePredictions: fc.boolean(),
      deliveries: fc.integer({ min: 2, max: 1_000 }),
      api: rate(5_000),
      creations: rate(5_000),
    })
    .map(({ inAll, reserved, perTenant, deliveries, api, creations, ...concurrency }) => ({
      runningBatches: {
        inAll,
        reserved: Math.min(reserved, inAll - 1),
        perTenant: Math.max(1, Math.min(perTenant, inAll - Math.min(reserved, inAll - 1))),
      },
      concurrency,
      webhooks: { concurrency: deliveries },
      throttling: { ...api, creations },
    }));

  it('suggests values that fit, are valid, and never exceed those they replace', () => {
    fc.assert(
      fc.property(stages, fc.integer({ min: MIN_CONCURRENCY, max: 3_000 }), (stage, quota) => {
        const fitting = fitToQuota(quota, stage);
        expect(fitting).not.toBeNull();
        if (fitting === null) return;
        expect(requiredConcurrency(fitting)).toBeLessThanOrEqual(quota);
        const reserved = reservedPredictions(fitting);
        if (reserved > 0) expect(quota - reserved).toBeGreaterThanOrEqual(LEAST_UNRESERVED);
        const webhooks = { ...prod.webhooks, ...fitting.webhooks };
        expect(() => parseConfig({ ...prod, ...fitting, webhooks })).not.toThrow();
        expect(fitting.runningBatches.inAll).toBeLessThanOrEqual(stage.runningBatches.inAll);
        expect(fitting.concurrency.jobs).toBeLessThanOrEqual(stage.concurrency.jobs);
        expect(fitting.webhooks.concurrency).toBeLessThanOrEqual(stage.webhooks.concurrency);
      }),
    );
  });
});
