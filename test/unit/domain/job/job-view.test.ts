import { describe, expect, it } from 'vitest';
import type { JobProgress, JobRecord, JobState } from '../../../../lambdas/domain/job/job.ts';
import type { JobSummary } from '../../../../lambdas/domain/job/job-summary.ts';
import { NO_AREA } from '../../../../lambdas/domain/job/planning/measured-area.ts';
import { jobView } from '../../../../lambdas/domain/job/reading/job-view.ts';
import { SUMMARY } from '../../../support/api/batch-with-results.ts';
import { PACK_SHA256, RESULT } from '../../../support/domain/builders.ts';
import { BATCH, FINISHED_AT } from '../../delivery/delivery-world.ts';

const ENTRY = {
  offset: 0,
  length: 1,
  name: null,
  year: 2020,
  model: null,
  ...NO_AREA,
  hasProperties: false,
};
const STATIC = { code: 'static_model', message: 'one map for all years' } as const;
const completed: JobState = { status: 'completed', completedAt: FINISHED_AT };

function viewOf(state: JobState, predictedPoints: number) {
  const progress: JobProgress = {
    totalPatchBatches: 2,
    completedPatchBatches: 1,
    pointCount: 25,
    completedPoints: 13,
    predictedPoints,
  };
  const record: JobRecord = {
    index: 0,
    state,
    updatedAt: FINISHED_AT,
    model: {
      id: 'meuse-soc@1.0.0',
      temporal: 'static',
      dataPeriod: [1990, 1993],
      sha256: PACK_SHA256,
    },
    progress,
    warnings: [STATIC],
  };
  return jobView(BATCH, 0, ENTRY, record, null);
}

describe('the summary of a job', () => {
  const summary = { ...SUMMARY, stock: null };
  const none = { lower: null, upper: null, level: null, method: null };
  const record = { index: 0, updatedAt: FINISHED_AT, model: null, progress: null, warnings: [] };

  it('is null until it is completed, and if the model predicts no mean', () => {
    const [before, after] = [{ status: 'processing' } as const, completed].map((state) =>
      jobView(BATCH, 0, ENTRY, { ...record, state }, null),
    );
    expect(before?.summary).toBeNull();
    expect(after).toMatchObject({ summary: null, warnings: [] });
  });

  it('is returned as it is stored, with a warning if it has no interval', () => {
    const job = { ...record, state: completed };
    const view = jobView(BATCH, 0, ENTRY, { ...job, summary }, null);
    expect(view).toMatchObject({ summary, warnings: [] });
    const without = jobView(BATCH, 0, ENTRY, { ...job, summary: { ...summary, ...none } }, null);
    expect(without.warnings).toMatchObject([{ code: 'interval_unavailable' }]);
  });
});

describe('the values of a completed job', () => {
  const summary = { ...SUMMARY, mean: 40 };
  const progress = {
    ...{ totalPatchBatches: 1, completedPatchBatches: 1 },
    ...{ pointCount: 100, completedPoints: 100, predictedPoints: 100 },
  };
  const record: JobRecord = {
    ...{ index: 0, updatedAt: FINISHED_AT, model: null, warnings: [] },
    ...{ state: completed, progress },
  };
  const warningsOf = (changes: Partial<JobSummary>) =>
    jobView(BATCH, 0, ENTRY, { ...record, summary: { ...summary, ...changes } }, null).warnings;

  it('cause a warning if more than a twentieth of the cells cannot be', () => {
    expect(warningsOf({ impossible_point_count: 5 })).toEqual([]);
    expect(warningsOf({ impossible_point_count: 6 })).toEqual([
      { code: 'impossible_values', message: expect.stringMatching(/^6 of 100 cells/) },
    ]);
  });

  it('cause a warning if the mean cannot be, however few cells make it so', () => {
    expect(warningsOf({ impossible_point_count: 1, mean: -1, stock: null })).toMatchObject([
      { code: 'impossible_values', message: expect.stringContaining('no stock') },
    ]);
    expect(warningsOf({ impossible_point_count: 1, unit: 'g/kg', stock: null })).toEqual([]);
  });

  it('cause a warning if more than a twentieth lie outside their bounds', () => {
    expect(warningsOf({ outside_bounds_point_count: 5 })).toEqual([]);
    expect(warningsOf({ outside_bounds_point_count: 6 })).toEqual([
      { code: 'means_outside_bounds', message: expect.stringMatching(/^In 6 of 100 cells/) },
    ]);
  });

  it('cause a warning if more than a tenth lie outside what the model was trained on', () => {
    expect(warningsOf({ outside_share: 0.1 })).toEqual([]);
    expect(warningsOf({ outside_share: 0.374 })).toEqual([
      { code: 'outside_training', message: expect.stringMatching(/^In 37 % of the cells/) },
    ]);
  });

  it('cause a warning if more than three tenths lie outside the area of applicability', () => {
    expect(warningsOf({ outside_applicability_share: 0.3 })).toEqual([]);
    expect(warningsOf({ outside_applicability_share: 0.604 })).toEqual([
      { code: 'outside_applicability', message: expect.stringMatching(/^60 % of the cells/) },
    ]);
  });
});

describe('the cells of a job', () => {
  it('are counted from its planning on', () => {
    expect(viewOf({ status: 'processing' }, 8)).toMatchObject({
      point_count: 25,
      predicted_point_count: 8,
    });
    expect(jobView(BATCH, 0, ENTRY, null, null)).toMatchObject({
      point_count: null,
      predicted_point_count: null,
      warnings: [],
    });
  });

  it('that have no value are reported once the job is completed', () => {
    expect(viewOf(completed, 13).warnings).toEqual([
      STATIC,
      {
        code: 'cells_without_data',
        message: expect.stringMatching(/^12 of 25 cells \(48 %\)/),
      },
    ]);
  });

  it('cause no warning while it runs, or if all have a value', () => {
    expect(viewOf({ status: 'processing' }, 13).warnings).toEqual([STATIC]);
    expect(viewOf(completed, 25).warnings).toEqual([STATIC]);
  });
});

describe('the result of a job', () => {
  const record = (state: JobState, result?: JobRecord['result']): JobRecord => ({
    ...{ index: 0, state, updatedAt: FINISHED_AT, model: null, progress: null, warnings: [] },
    ...(result === undefined ? {} : { result }),
  });

  it('is its file once it is completed, and null before', () => {
    expect(jobView(BATCH, 0, ENTRY, record(completed, RESULT), null).result).toEqual({
      bytes: RESULT.bytes,
      etag: RESULT.etag,
      media_type: 'image/tiff; application=geotiff; profile=cloud-optimized',
    });
    expect(jobView(BATCH, 0, ENTRY, record({ status: 'processing' }), null).result).toBeNull();
    expect(jobView(BATCH, 0, ENTRY, null, null).result).toBeNull();
  });
});
