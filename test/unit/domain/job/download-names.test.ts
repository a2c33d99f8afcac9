import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobModel } from '../../../../lambdas/domain/job/job.ts';
import type { JobEntry } from '../../../../lambdas/domain/job/job-requests.ts';
import { NO_AREA } from '../../../../lambdas/domain/job/planning/measured-area.ts';
import { downloadNames } from '../../../../lambdas/domain/job/reading/download-names.ts';
import { LIMITS } from '../../../../lambdas/domain/limits.ts';

const batchId = '01a20272-1342-758e-a60a-f481e7360d2f';
const entry = (name: string | null, year = 2024): JobEntry => ({
  offset: 0,
  length: 1,
  name,
  year,
  model: null,
  ...NO_AREA,
  hasProperties: false,
});
const STATIC: JobModel = {
  id: 'soc@1.0.0',
  temporal: 'static',
  data_period: [1990, 1993],
  sha256: '',
};
const PERIOD: JobModel = { ...STATIC, temporal: 'period' };

type Job = readonly [name: string | null, year?: number, model?: JobModel];

const namesOf = (batch: string | null, ...jobs: readonly Job[]) => {
  const nameOf = downloadNames(
    { batch_id: batchId, ...(batch === null ? {} : { name: batch }) },
    jobs.map(([name, year]) => entry(name, year)),
  );
  return jobs.map(([, , model = PERIOD], index) => nameOf(index, model));
};

describe('the download names of a batch', () => {
  it.each<[[string | null, ...Job[]], string[]]>([
    [['Äcker 2026', ['Späte Äcker']], ['Acker-2026_Spate-Acker_2024.tif']],
    [[null, ['field']], ['f481e7360d2f_field_2024.tif']],
    [
      [null, [null], [null]],
      ['f481e7360d2f_2024_0.tif', 'f481e7360d2f_2024_1.tif'],
    ],
    [
      ['b', ['Field'], ['fIELD'], ['field', 2023]],
      ['b_Field_2024_0.tif', 'b_fIELD_2024_1.tif', 'b_field_2023.tif'],
    ],
    [
      ['b', ['稲'], ['麦']],
      ['b_2024_0.tif', 'b_2024_1.tif'],
    ],
    [['../../etc', ['a/b\\c"; x']], ['etc_a-b-c-x_2024.tif']],
    [['麦', ['.hidden.']], ['f481e7360d2f_hidden_2024.tif']],
    [['b', ['x', 2024, STATIC]], ['b_x_1990-1993.tif']],
    [['b', ['x', 2024, { ...STATIC, data_period: [2000, 2000] }]], ['b_x_2000.tif']],
    [
      ['b', ['x', 2023, STATIC], ['X', 2024, STATIC], ['x', 2025]],
      ['b_x_1990-1993_0.tif', 'b_X_1990-1993_1.tif', 'b_x_2025.tif'],
    ],
  ])('consist of batch, job, and year or period: %o', ([batch, ...jobs], expected) => {
    expect(namesOf(batch, ...jobs)).toEqual(expected);
  });

  it('contain the year while the model is unknown', () => {
    expect(downloadNames({ batch_id: batchId, name: 'b' }, [entry('x')])(0, null)).toBe(
      'b_x_2024.tif',
    );
  });

  const name = fc.oneof(
    fc.constantFrom(null, '', 'a', 'A', 'a_1', 'a_2024', 'a_2024_1', 'a_1990-1993', '_', 'ä'),
    fc.string({ unit: 'grapheme', maxLength: 255 }),
    fc.string({ unit: 'binary', maxLength: 255 }),
    fc.nat(12).map((length) => 'y'.repeat(70 + length)),
  );
  const { first, last } = LIMITS.years;
  const year = fc.oneof(fc.constantFrom(first, 2024, last), fc.integer({ min: first, max: last }));
  const periods = fc.constantFrom<JobModel['data_period']>([1990, 1993], [2024, 2024]);
  const model = fc.oneof(
    fc.constant(PERIOD),
    periods.map((data_period) => ({ ...STATIC, data_period })),
  );

  it('are ASCII, at most 100 bytes long, unique ignoring case, and without a path', () => {
    fc.assert(
      fc.property(name, fc.array(fc.tuple(name, year, model), { maxLength: 40 }), (batch, jobs) => {
        const names = namesOf(batch, ...jobs);
        for (const each of names) {
          expect(each).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*\.tif$/);
          expect(each.length).toBeLessThanOrEqual(100);
        }
        expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('contain an index only if two would be equal, and otherwise end with the year', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,20}$/)), (jobs) => {
        const names = namesOf('b', ...jobs.map((job) => [job] as const));
        expect(names).toEqual(jobs.map((job) => `b_${job}_2024.tif`));
      }),
    );
  });

  it('take less than 200 ms of CPU time for 1,000 jobs, even if each character of a name expands to many', () => {
    const jobs = Array.from({ length: 1_000 }, () => entry('\u{FDFA}'.repeat(255)));
    const before = process.cpuUsage();
    downloadNames({ batch_id: batchId, name: 'b' }, jobs);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(200);
  });
});
