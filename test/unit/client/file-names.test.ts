import fc from 'fast-check';
import type { Job } from 'soil-batch-client';
import { describe, expect, it } from 'vitest';
import { fileNameOf, uniqueNames } from '../../../client/src/download/file-names.ts';

const namesOf = (...jobs: readonly Pick<Job, 'name' | 'year'>[]) => {
  const nameOf = uniqueNames(fileNameOf);
  return jobs.map((job, index) => nameOf({ ...job, job_id: `j${index}`, job_index: index } as Job));
};

const JOB = { name: 'a', job_id: 'j0', year: 2021, temporal: null, data_period: null };
const STATIC = { ...JOB, temporal: 'static', data_period: [1990, 1993] } as const;

describe('the file name of a raster', () => {
  it.each([
    ['Field around a pond', 'Field-around-a-pond_2021.tif'],
    ['Äcker', 'Äcker_2021.tif'],
    ['../../etc/passwd', 'etc-passwd_2021.tif'],
    ['C:\\Windows\\system32', 'C-Windows-system32_2021.tif'],
    ['CON.north', 'CON-.north_2021.tif'],
    ['com1', 'com1_2021.tif'],
    ['Lpt1.b', 'Lpt1-.b_2021.tif'],
    ['.hidden', 'hidden_2021.tif'],
    ['\u001b]0;title\u0007', '0-title_2021.tif'],
    ['a\u202Egpj.exe', 'a-gpj.exe_2021.tif'],
    ['…', 'field_2021.tif'],
    ['', 'field_2021.tif'],
  ])('of %j is %s', (name, file) => {
    expect(fileNameOf({ ...JOB, name })).toBe(file);
  });

  it('has the id of a job without a name', () => {
    expect(fileNameOf({ ...JOB, name: null })).toBe('j0_2021.tif');
  });

  it('has the period of the data of a static map', () => {
    expect(fileNameOf(STATIC)).toBe('a_1990-1993.tif');
    expect(fileNameOf({ ...STATIC, data_period: [2000, 2000] })).toBe('a_2000.tif');
    expect(fileNameOf({ ...STATIC, temporal: 'period' })).toBe('a_2021.tif');
  });

  it('is one that file systems accept, unique, and the same in every run', () => {
    const years = fc.constantFrom(2021, 2022);
    const job = fc.record({ name: fc.string({ unit: 'binary', maxLength: 300 }), year: years });
    fc.assert(
      fc.property(fc.array(job, { maxLength: 30 }), (jobs) => {
        const files = namesOf(...jobs);
        const keys = files.map((file) => file.normalize('NFC').toLowerCase());
        expect(new Set(keys).size).toBe(jobs.length);
        for (const file of files) {
          expect(Buffer.byteLength(file)).toBeLessThanOrEqual(206);
          expect(file).toMatch(/^[^./\\:*?"<>|\p{Cc}\p{Cf}][^/\\:*?"<>|\p{Cc}\p{Cf}]*\.tif$/u);
        }
        expect(namesOf(...jobs)).toEqual(files);
      }),
    );
  });

  it('leaves room for the name of its part', () => {
    const names = namesOf(...Array(10_001).fill({ ...STATIC, name: `e${'é'.repeat(255)}` }));
    expect(new Set(names).size).toBe(names.length);
    const parts = names.map((name) => `${name}.${'0'.repeat(32)}-10000.part`);
    expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBe(255);
  });
});

it('jobs that come one by one never share a file, also where it would be another form of the name', () => {
  const names = ['a', 'A', 'a', 'e\u0301', '\u00e9'];
  const jobs = names.map((name, index) => ({ name, job_index: index, year: 2021 }) as Job);
  const nameOf = uniqueNames(({ name }) => `${name}_2021.tif`);
  expect(jobs.map(nameOf)).toEqual([
    'a_2021.tif',
    'A_2021-1.tif',
    'a_2021-2.tif',
    'e\u0301_2021.tif',
    'é_2021-4.tif',
  ]);
});
