import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideFinalStatus } from '../../../../lambdas/domain/batch/batch.ts';
import {
  computeProgress,
  countJobs,
  estimateCompletion,
} from '../../../../lambdas/domain/batch/batch-progress.ts';
import type { CountedJob } from '../../../../lambdas/domain/job/job.ts';
import { aBatch } from '../../../support/domain/builders.ts';

const at = '2026-01-01T00:00:00.000Z';

const status = fc.constantFrom<CountedJob['status']>('processing', 'completed', 'failed');

const points = fc
  .tuple(fc.nat(1000), fc.nat(1000))
  .map(([done, left]) => ({ point_count: done + left, completed_points: done }));

const job = fc
  .tuple(status, fc.option(points, { nil: {} }))
  .map(([status, points]): CountedJob => ({ status, updated_at: at, ...points }));

const batch = fc.tuple(fc.array(job, { maxLength: 20 }), fc.nat(20)).map(([records, waiting]) => ({
  total: records.length + waiting + 1,
  records,
}));

describe('the counts of a batch', () => {
  it('always add up to its total', () => {
    fc.assert(
      fc.property(batch, ({ total, records }) => {
        const counts = countJobs(total, records);
        expect(counts.completed + counts.failed + counts.pending).toBe(total);
        expect(counts.processing).toBeLessThanOrEqual(counts.pending);
      }),
    );
  });
});

describe('the progress of a batch', () => {
  it('is between 0 and 1, and 1 if and only if every job is final', () => {
    fc.assert(
      fc.property(batch, ({ total, records }) => {
        const value = computeProgress(total, records);
        expect(value).toBeGreaterThanOrEqual(0);
        const allFinal =
          records.length === total && records.every((record) => record.status !== 'processing');
        expect(value === 1).toBe(allFinal);
      }),
    );
  });

  it('does not fall when a job is planned or completed', () => {
    fc.assert(
      fc.property(batch, fc.nat(), ({ total, records }, pick) => {
        const before = computeProgress(total, records);
        const changed = records[pick % Math.max(records.length, 1)];
        const later = records.map((record) =>
          record === changed ? { ...record, status: 'completed' as const } : record,
        );
        expect(computeProgress(total, later)).toBeGreaterThanOrEqual(before);
        if (records.length < total && changed !== undefined) {
          expect(computeProgress(total, [...records, changed])).toBeGreaterThanOrEqual(before);
        }
      }),
    );
  });
});

describe('the expected end of a batch', () => {
  it('is null until a rate is measured, and when the batch is final', () => {
    const started = aBatch({ status: 'processing', started_at: at });
    expect(estimateCompletion(aBatch(), 0, at)).toBeNull();
    expect(estimateCompletion(started, 0, '2026-01-01T00:01:00.000Z')).toBeNull();
    expect(
      estimateCompletion(
        aBatch({ status: 'completed', started_at: at, completed_at: at, completed_jobs: 1 }),
        1,
        at,
      ),
    ).toBeNull();
  });

  it('follows the rate so far', () => {
    expect(
      estimateCompletion(
        aBatch({ status: 'processing', started_at: at }),
        0.25,
        '2026-01-01T00:01:00.000Z',
      ),
    ).toBe('2026-01-01T00:04:00.000Z');
  });
});

describe('the final status of a batch', () => {
  it('is completed, failed or partial, according to the states of its jobs', () => {
    expect(decideFinalStatus({ completed: 2, failed: 0 })).toBe('completed');
    expect(decideFinalStatus({ completed: 0, failed: 2 })).toBe('failed');
    expect(decideFinalStatus({ completed: 1, failed: 1 })).toBe('partial');
  });
});
