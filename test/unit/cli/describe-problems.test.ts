import { describe, expect, it } from 'vitest';
import { failureLines, warningLines } from '../../../cli/src/commands/describe-problems.ts';

const failed = (name: string, year: number, error_message = 'too small') => ({
  ...{ name, year, error_message },
  error_code: 'geometry_invalid',
});
const completed = { name: 'South', year: 2021, error_code: null, error_message: null };

const linesOf = (jobs: readonly ReturnType<typeof failed>[]) => failureLines('failed', jobs);

describe('the failures of a run', () => {
  it('list an error once, with its fields and their years', () => {
    expect(
      failureLines('failed', [failed('North', 2021), failed('North', 2022), completed]),
    ).toEqual(['2 jobs failed:', '  geometry_invalid: too small', '    North (2021, 2022)']);
  });

  it('list the most frequent error first, and other fields of the same name apart', () => {
    const jobs = [
      failed('North', 2022, 'no such year'),
      failed('East', 2021),
      failed('East', 2021),
    ];
    expect(linesOf(jobs).slice(1)).toEqual([
      '  geometry_invalid: too small',
      '    East (2021), East (2021)',
      '  geometry_invalid: no such year',
      '    North (2022)',
    ]);
  });

  it('name the first fields of an error that many have', () => {
    const jobs = Array.from({ length: 142 }, (_, field) => failed(`f${field}`, 2021));
    expect(linesOf(jobs)).toHaveLength(3);
    expect(linesOf(jobs)[2]).toBe('    f0 (2021), f1 (2021), f2 (2021), 139 more jobs');
  });

  it('list errors that differ by numbers once, with those of the first field', () => {
    const jobs = [failed('North', 2021, 'at lon 5.71'), failed('South', 2021, 'at lon 5.74')];
    expect(linesOf(jobs)).toHaveLength(3);
    expect(linesOf(jobs)[1]).toContain('at lon 5.71');
    expect(linesOf(jobs)[2]).toBe('    North (2021), South (2021)');
  });

  it('count the errors that are not listed', () => {
    const jobs = Array.from('abcdefghijkl', (letter) => failed('f', 2021, `at ${letter}`));
    expect(linesOf(jobs)).toHaveLength(1 + 2 * 5 + 1);
    expect(linesOf(jobs).at(-1)).toContain('7');
  });
});

describe('the warnings of a run', () => {
  it('are one for each kind, also if their messages differ by a number', () => {
    const warned = (cells: number) => ({
      ...{ name: 'North', year: 2021 },
      warnings: [
        { code: 'static_model' as const, message: 'the same' },
        { code: 'impossible_values' as const, message: `${cells} cells` },
      ],
    });
    const told = new Set<string>();
    const lines = warningLines([warned(1), warned(2), warned(3)], told);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain('3 jobs');
    expect(lines[1]).toContain('1 cells');
    // The estimate has shown them; another number of jobs is news.
    expect(warningLines([warned(1), warned(2), warned(3)], told)).toEqual([]);
    expect(warningLines([warned(1)], told)).toHaveLength(2);
  });

  it('name the fields that have one, unless all have it', () => {
    const outside = { code: 'outside_training' as const, message: 'extrapolates' };
    const everywhere = { code: 'static_model' as const, message: 'the same' };
    const jobs = [
      { name: 'North', year: 2021, warnings: [everywhere, outside] },
      { name: 'South', year: 2021, warnings: [everywhere] },
    ];
    expect(warningLines(jobs, new Set())).toEqual([
      'Warning for 2 jobs: the same',
      'Warning for 1 job: extrapolates',
      '  North (2021)',
    ]);
  });
});
