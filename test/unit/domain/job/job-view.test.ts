import { describe, expect, it } from 'vitest';
import { NO_COPIES } from '../../../../lambdas/domain/destination/copy-status.ts';
import type { CompletedRecord, JobRecord } from '../../../../lambdas/domain/job/job.ts';
import type { JobSummary } from '../../../../lambdas/domain/job/job-summary.ts';
import { NO_AREA } from '../../../../lambdas/domain/job/planning/measured-area.ts';
import { jobView } from '../../../../lambdas/domain/job/reading/job-view.ts';
import { SUMMARY } from '../../../support/api/batch-with-results.ts';
import { completedJob, processingJob } from '../../../support/api/job-records.ts';
import { RESULT } from '../../../support/domain/builders.ts';
import { BATCH } from '../../delivery/delivery-world.ts';

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
const processing = { ...processingJob(0), point_count: 25, warnings: [STATIC] };
const completed = { ...completedJob(0), point_count: 25, warnings: [STATIC] };

const viewOf = (record: JobRecord | null) =>
  jobView(BATCH, 0, ENTRY, record, null, NO_COPIES.viewJob);

describe('the summary of a job', () => {
  const summary = { ...SUMMARY, stock: null };
  const none = { lower: null, upper: null, level: null, method: null };
  const record = { ...completedJob(0), warnings: [] };

  it('is null until the job is completed, and if the model predicts no mean', () => {
    expect(viewOf(processing).summary).toBeNull();
    expect(viewOf(completed).summary).toBeNull();
  });

  it('is returned as stored, with a warning if it has no interval', () => {
    const job = { ...record, predicted_points: record.point_count };
    expect(viewOf({ ...job, summary })).toMatchObject({ summary, warnings: [] });
    const without = viewOf({ ...job, summary: { ...summary, ...none } });
    expect(without.warnings).toMatchObject([{ code: 'interval_unavailable' }]);
  });
});

describe('the values of a completed job', () => {
  const summary = { ...SUMMARY, mean: 40 };
  const record: CompletedRecord = {
    ...completedJob(0),
    ...{ warnings: [], point_count: 100, completed_points: 100, predicted_points: 100 },
  };
  const warningsOf = (changes: Partial<JobSummary>) =>
    viewOf({ ...record, summary: { ...summary, ...changes } }).warnings;

  it('cause a warning if more than a twentieth of the cells have an impossible value', () => {
    expect(warningsOf({ impossible_point_count: 5 })).toEqual([]);
    expect(warningsOf({ impossible_point_count: 6 })).toEqual([
      { code: 'impossible_values', message: expect.stringMatching(/^In 6 of 100 cells/) },
    ]);
  });

  it('cause a warning if the mean is impossible, however few cells cause that', () => {
    expect(warningsOf({ impossible_point_count: 1, mean: -1, stock: null })).toMatchObject([
      { code: 'impossible_values', message: expect.stringContaining('no stock') },
    ]);
    expect(warningsOf({ impossible_point_count: 1, unit: 'g/kg', stock: null })).toEqual([]);
  });

  it('cause a warning if the mean lies outside its bounds in more than a twentieth of the cells', () => {
    expect(warningsOf({ outside_bounds_point_count: 5 })).toEqual([]);
    expect(warningsOf({ outside_bounds_point_count: 6 })).toEqual([
      { code: 'means_outside_bounds', message: expect.stringMatching(/^In 6 of 100 cells/) },
    ]);
  });

  it("cause a warning if more than a tenth of the cells lie outside the model's training data", () => {
    expect(warningsOf({ outside_share: 0.1 })).toEqual([]);
    expect(warningsOf({ outside_share: 0.374 })).toEqual([
      { code: 'outside_training', message: expect.stringMatching(/^In 37 % of the cells/) },
    ]);
  });

  it('cause a warning if more than three tenths of the cells lie outside the area of applicability', () => {
    expect(warningsOf({ outside_applicability_share: 0.3 })).toEqual([]);
    expect(warningsOf({ outside_applicability_share: 0.604 })).toEqual([
      { code: 'outside_applicability', message: expect.stringMatching(/^60 % of the cells/) },
    ]);
  });
});

describe('the cells of a job', () => {
  it('are counted once the job is planned', () => {
    expect(viewOf({ ...processing, predicted_points: 8 })).toMatchObject({
      point_count: 25,
      predicted_point_count: 8,
    });
    expect(viewOf(null)).toMatchObject({
      point_count: null,
      predicted_point_count: null,
      warnings: [],
    });
  });

  it('are reported if they have no value, once the job is completed', () => {
    expect(viewOf({ ...completed, predicted_points: 13 }).warnings).toEqual([
      STATIC,
      {
        code: 'cells_without_data',
        message: expect.stringMatching(/^In 12 of 25 cells \(48 %\)/),
      },
    ]);
  });

  it('cause no warning while the job runs, or if all have a value', () => {
    expect(viewOf({ ...processing, predicted_points: 13 }).warnings).toEqual([STATIC]);
    expect(viewOf({ ...completed, predicted_points: 25 }).warnings).toEqual([STATIC]);
  });
});

describe('the result of a job', () => {
  it('is its file once the job is completed, and null before', () => {
    expect(viewOf(completed).result).toEqual({
      bytes: RESULT.raster_bytes,
      etag: RESULT.raster_etag,
      media_type: 'image/tiff; application=geotiff; profile=cloud-optimized',
    });
    expect(viewOf(processing).result).toBeNull();
    expect(viewOf(null).result).toBeNull();
  });
});
