import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobEntry } from '../../../../lambdas/domain/job/job-requests.ts';
import { NO_AREA } from '../../../../lambdas/domain/job/planning/measured-area.ts';
import { downloadNames } from '../../../../lambdas/domain/job/reading/download-names.ts';

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
const namesOf = (batch: string | null, ...jobs: readonly (readonly [string | null, number?])[]) =>
  downloadNames(
    { batchId, ...(batch === null ? {} : { name: batch }) },
    jobs.map(([name, year]) => entry(name, year)),
  );

describe('the download names of a batch', () => {
  it.each([
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
    // The numbered name of the second equals the plain name of the first.
    [
      ['b', ['x_2024', 1], ['x'], ['x']],
      ['b_x_2024_1_0.tif', 'b_x_2024_1.tif', 'b_x_2024_2.tif'],
    ],
  ] as const)('are built from batch, job and year: %o', ([batch, ...jobs], expected) => {
    expect(namesOf(batch, ...jobs)).toEqual(expected);
  });

  const name = fc.oneof(
    fc.constantFrom(null, '', 'a', 'A', 'a_1', 'a_2024', 'a_2024_1', '_', 'ä', 'x'.repeat(255)),
    fc.string({ unit: 'grapheme', maxLength: 255 }),
    fc.string({ unit: 'binary', maxLength: 255 }),
    fc.nat(12).map((length) => 'y'.repeat(80 + length)),
  );
  const year = fc.oneof(
    fc.constantFrom(1, 2, 3, 2024, 2_024_001, -9_007_199_254_740_991),
    fc.integer({ min: -3, max: 12 }),
  );

  it('are ASCII, at most 100 bytes, unique ignoring case, and without a path', () => {
    fc.assert(
      fc.property(name, fc.array(fc.tuple(name, year), { maxLength: 40 }), (batch, jobs) => {
        const names = namesOf(batch, ...jobs);
        expect(names).toHaveLength(jobs.length);
        for (const each of names) {
          expect(each).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*\.tif$/);
          expect(each.length).toBeLessThanOrEqual(100);
        }
        expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
      }),
      { numRuns: 500 },
    );
  });

  it('have an index only where two would be equal, and end with the year otherwise', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,20}$/)), (jobs) => {
        const names = namesOf('b', ...jobs.map((job) => [job] as const));
        expect(names).toEqual(jobs.map((job) => `b_${job}_2024.tif`));
      }),
    );
  });

  it('are those of rounds over all names until no two are equal', () => {
    const shortName = fc.oneof(
      fc.constantFrom(null, 'a', 'A', 'a_1', 'a_2', 'a_1_2', 'a_3_1', 'b_2_1', 'a_2024'),
      fc.string({ unit: 'grapheme-composite', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.stringMatching(/^[.\- é]{1,9}$/),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(shortName, year), { maxLength: 30 }), (jobs) => {
        const entries = jobs.map(([job, of]) => entry(job, of));
        expect(downloadNames({ batchId, name: 'b' }, entries)).toEqual(namesInRounds('b', entries));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are one pass over 1,000 names of which each decides the one before it', () => {
    const jobs = chainOfNames(1_000);
    const before = process.cpuUsage();
    const names = downloadNames({ batchId, name: 'b' }, jobs);
    const { user, system } = process.cpuUsage(before);
    expect(new Set(names).size).toBe(1_000);
    expect(names).toEqual(jobs.map((_, index) => expect.stringMatching(`_${index}\\.tif$`)));
    expect((user + system) / 1_000).toBeLessThan(100);
  });

  it('cost little for 1,000 jobs with names of the characters that expand most', () => {
    const jobs = Array.from({ length: 1_000 }, () => entry('\u{FDFA}'.repeat(255)));
    const before = process.cpuUsage();
    downloadNames({ batchId, name: 'b' }, jobs);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(200);
  });

  it('are made in a moment for 1,000 jobs of one name', () => {
    const names = namesOf('b', ...Array.from({ length: 1_000 }, () => ['same'] as const));
    expect(new Set(names).size).toBe(1_000);
    expect(names[999]).toBe('b_same_2024_999.tif');
  });
});

/** Jobs of which the numbered name of each equals the plain name of the one before; the last two are equal. */
function chainOfNames(length: number): readonly JobEntry[] {
  const room = 100 - 'b_.tif'.length;
  const jobs: JobEntry[] = [];
  let [name, year] = ['x'.repeat(room), 1];
  for (let index = length - 1; index >= 0; index -= 1) {
    jobs.unshift(entry(name, year));
    if (index === length - 1) continue;
    const end = `_${year}_${index}`;
    [name, year] = [`${name.slice(0, room - end.length)}_${year}`, index];
  }
  return jobs;
}

/** The definition, for names of at most 100 characters. It is fixed: batches keep the names they have. */
function namesInRounds(prefix: string, entries: readonly JobEntry[]): readonly string[] {
  const asciiOf = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/\p{Mark}+/gu, '')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[.-]+|[.-]+$/g, '');
  const fileName = (name: string | null, suffix: string) => {
    const end = `${suffix}.tif`;
    const job = asciiOf(name ?? '').slice(0, 100 - prefix.length - 1 - end.length);
    return `${[prefix, job].filter((part) => part !== '').join('_')}${end}`;
  };
  const ambiguous = new Set<number>();
  const nameAt = (index: number) => {
    const { name = null, year = 0 } = entries[index] ?? {};
    return fileName(name, ambiguous.has(index) ? `_${year}_${index}` : `_${year}`);
  };
  for (let found = true; found; ) {
    const seen = new Map<string, number>();
    found = false;
    for (const index of entries.keys()) {
      const key = nameAt(index).toLowerCase();
      const other = seen.get(key);
      seen.set(key, index);
      if (other === undefined) continue;
      for (const each of [index, other]) {
        found ||= !ambiguous.has(each);
        ambiguous.add(each);
      }
    }
  }
  return entries.map((_, index) => nameAt(index));
}
