import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  expectedDuration,
  measureTimes,
} from '../../../../lambdas/domain/admission/batch-times.ts';
import { addSeconds } from '../../../../lambdas/domain/clock.ts';
import type { JobRecord } from '../../../../lambdas/domain/job/job.ts';
import { completedJob } from '../../../support/api/job-records.ts';
import { aBatch } from '../../../support/domain/builders.ts';
import { someTimes } from '../../../support/stores/recent-times-contract.ts';

const CREATED = new Date('2026-03-01T10:00:00.000Z');
const at = (seconds: number) => addSeconds(CREATED.toISOString(), seconds);
const concurrency = { jobs: 2, patchBatches: 2 };
const work = { pointCounts: [1_000], pointsPerSecond: 10_000 };

const record = (index: number, prediction_ms: number): JobRecord => ({
  ...completedJob(index),
  prediction_ms,
});

describe('the times of a finished batch', () => {
  const started = { status: 'processing', started_at: at(30) } as const;

  it('are the durations of its wait, run and predictions', () => {
    const batch = aBatch({ ...started, total_jobs: 2 }, CREATED);
    expect(measureTimes(batch, [record(0, 400), record(1, 600)], at(150))).toEqual({
      finishedAt: at(150),
      waitSeconds: 30,
      runSeconds: 120,
      jobs: 2,
      shares: 2,
      predictionSeconds: 1,
    });
  });

  it('are never negative, even if clocks step back', () => {
    const batch = aBatch({ ...started, total_jobs: 2 }, new Date(at(60)));
    const times = measureTimes(batch, [record(0, -39), record(1, 600)], at(10));
    expect(times).toMatchObject({ waitSeconds: 0, runSeconds: 0, predictionSeconds: 0.6 });
  });

  it('are null if the batch was cancelled, never started or predicted nothing', () => {
    const cancelled = aBatch({ ...started, cancel_requested_at: at(40) }, CREATED);
    expect(measureTimes(cancelled, [record(0, 1)], at(50))).toBeNull();
    expect(measureTimes(aBatch({}, CREATED), [], at(50))).toBeNull();
    expect(measureTimes(aBatch(started, CREATED), [], at(50))).toBeNull();
  });
});

describe('the expected duration', () => {
  const took = { waitSeconds: 30, runSeconds: 120.1, jobs: 2, shares: 2, predictionSeconds: 0.2 };

  it('of a batch like the only recent one is the time that the recent batch took', () => {
    const range = expectedDuration(2, [work, work], concurrency, [someTimes(took)]);
    expect(range).toEqual({ minSeconds: 150, maxSeconds: 151 });
  });

  it('spans the recent batches without outliers', () => {
    const waits = [500, ...Array.from({ length: 18 }, (_, i) => 10 + i), 0];
    const recent = waits.map((waitSeconds) => someTimes({ ...took, waitSeconds }));
    const { minSeconds, maxSeconds } = expectedDuration(2, [work], concurrency, recent) ?? {};
    expect(minSeconds).toBe(120 + 10);
    expect(maxSeconds).toBe(121 + 26);
  });

  it('is unknown until a batch was measured', () => {
    expect(expectedDuration(2, [work], concurrency, [])).toBeNull();
  });

  it('is a valid range that more jobs never shorten and that includes the prediction', () => {
    const times = fc.record({
      finishedAt: fc.constant(at(0)),
      waitSeconds: fc.float({ min: 0, max: 1_000, noNaN: true }),
      runSeconds: fc.float({ min: 0, max: 1_000, noNaN: true }),
      jobs: fc.integer({ min: 1, max: 1_000 }),
      shares: fc.integer({ min: 1, max: 4_000 }),
      predictionSeconds: fc.float({ min: 0, max: 9_000, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(times, { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 0, max: 99 }),
        (recent, jobs, more) => {
          const works = (count: number) => Array.from({ length: count }, () => work);
          const few = expectedDuration(jobs, works(jobs), concurrency, recent);
          const many = expectedDuration(jobs + more, works(jobs + more), concurrency, recent);
          if (few === null || many === null) throw new Error('nothing expected');
          expect(few.minSeconds).toBeLessThanOrEqual(few.maxSeconds);
          expect(many.minSeconds).toBeGreaterThanOrEqual(few.minSeconds);
          expect(many.maxSeconds).toBeGreaterThanOrEqual(few.maxSeconds);
          expect(few.maxSeconds).toBeGreaterThanOrEqual(0.1 * Math.ceil(jobs / 2));
        },
      ),
    );
  });
});
