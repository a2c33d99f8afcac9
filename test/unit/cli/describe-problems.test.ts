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

  it('count the errors that are not listed', () => {
    const jobs = Array.from({ length: 12 }, (_, field) => failed('f', 2021, `at vertex ${field}`));
    expect(linesOf(jobs)).toHaveLength(1 + 2 * 5 + 1);
    expect(linesOf(jobs).at(-1)).toContain('7');
  });
});

describe('the warnings of a run', () => {
  it('are one for each kind, also if their messages differ by a number', () => {
    const warned = (cells: number) => ({
      warnings: [
        { code: 'static_model' as const, message: 'the same' },
        { code: 'impossible_values' as const, message: `${cells} cells` },
      ],
    });
    const lines = warningLines([warned(1), warned(2), warned(3)]);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain('3 jobs');
    expect(lines[1]).toContain('1 cells');
  });
});
