import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCost } from '../../../../lambdas/domain/cost/batch-cost.ts';
import { type BatchWork, usageOfBatch } from '../../../../lambdas/domain/cost/batch-usage.ts';
import {
  expectedWork,
  type JobWork,
  type PlannedWork,
} from '../../../../lambdas/domain/cost/job-work.ts';
import { pricesIn } from '../../../../lambdas/domain/cost/prices.ts';

const MEMORY = { plan: 1_769, predict: 1_769, assemble: 1_769, deliver: 512 };

function makeJob(change: Partial<PlannedWork> = {}): JobWork {
  const plan = { pointCounts: [10_000, 10_000], pointsPerSecond: 12_000, bands: 3 };
  return expectedWork({ ...plan, ...change });
}

function makeBatch(change: Partial<BatchWork> = {}): BatchWork {
  return { jobs: [makeJob()], webhook: false, retentionDays: 30, ...change };
}

function dollars(work: BatchWork, region = 'us-east-1') {
  return computeCost(usageOfBatch(work, MEMORY), pricesIn(region).prices);
}

describe('the cost of a batch', () => {
  it("is the sum of each service's charges", () => {
    const { total, ...parts } = dollars(makeBatch({ webhook: true }));
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 12);
    for (const part of Object.values(parts)) expect(part).toBeGreaterThan(0);
  });

  it('grows with every job, patch-batch, point and day, and with a webhook', () => {
    const base = dollars(makeBatch()).total;
    for (const more of [
      makeBatch({ jobs: [makeJob(), null] }),
      makeBatch({ jobs: [makeJob({ pointCounts: [10_000, 5_000, 5_000] })] }),
      makeBatch({ jobs: [makeJob({ pointCounts: [10_000, 10_001] })] }),
      makeBatch({ webhook: true }),
      makeBatch({ retentionDays: 31 }),
    ]) {
      expect(dollars(more).total).toBeGreaterThan(base);
    }
  });

  it('includes no raster for a failed job', () => {
    const [failed, empty] = [null, 0].map((rasterBytes) =>
      usageOfBatch(makeBatch({ jobs: [{ ...makeJob(), rasterBytes }] }), MEMORY),
    );
    // The requests are CreateMultipartUpload, UploadPart and CompleteMultipartUpload, and a write of the
    // prediction errors.
    expect((empty?.objectWrites ?? 0) - (failed?.objectWrites ?? 0)).toBe(4);
    expect(failed?.objectGbMonths).toBe(0);
  });

  it('depends on the jobs, not on their division into batches, apart from a fixed cost per batch', () => {
    const job = fc
      .array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 5 })
      .map((pointCounts): JobWork | null => makeJob({ pointCounts }));
    fc.assert(
      fc.property(fc.array(fc.oneof(job, fc.constant(null)), { maxLength: 8 }), (jobs) => {
        const several = [null, null];
        const withThem = (more: readonly (JobWork | null)[]) =>
          dollars(makeBatch({ jobs: [...several, ...more] })).total;
        const own = withThem([]);
        const apart = jobs.map((each) => withThem([each]) - own);
        const together = withThem(jobs) - own;
        expect(apart.reduce((sum, each) => sum + each, 0)).toBeCloseTo(together, 9);
      }),
      { numRuns: 50 },
    );
  });

  it('omits the state transitions to the job list and the map for a batch of one job', () => {
    const [one = 0, two = 0, three = 0] = [1, 2, 3].map(
      (count) =>
        usageOfBatch(makeBatch({ jobs: Array(count).fill(makeJob()) }), MEMORY).stateTransitions,
    );
    expect(two - one - (three - two)).toBe(2);
  });

  it('includes the seconds of prediction times the memory, at the x86 price', () => {
    const points = 12_000 * 1_000;
    const more = dollars(makeBatch({ jobs: [makeJob({ pointCounts: [points] })] })).functions;
    const none = dollars(makeBatch({ jobs: [makeJob({ pointCounts: [0] })] })).functions;
    expect(more - none).toBeCloseTo(1_000 * (1_769 / 1_024) * 0.0000166667, 9);
  });

  it('uses the prices of the region, or else names the region whose prices it uses', () => {
    expect(pricesIn('eu-central-1').region).toBe('eu-central-1');
    expect(pricesIn('ap-south-2').region).toBe('us-east-1');
    expect(dollars(makeBatch(), 'eu-central-1').total).toBeGreaterThan(dollars(makeBatch()).total);
  });
});
