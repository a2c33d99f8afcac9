import { describe, expect, it } from 'vitest';
import { failureLines } from '../../../cli/src/commands/describe-problems.ts';

const failed = (name: string, year: number, error_message = 'too small') => ({
  ...{ name, year, error_message },
  error_code: 'geometry_invalid',
});
const completed = { name: 'South', year: 2021, error_code: null, error_message: null };

describe('the failures of a run', () => {
  it('list a field once with its years', () => {
    expect(
      failureLines('failed', [failed('North', 2021), failed('North', 2022), completed]),
    ).toEqual(['2 jobs failed:', '  North (2021, 2022): geometry_invalid: too small']);
  });

  it('list other errors and other fields of the same name apart', () => {
    const jobs = [
      failed('North', 2021),
      failed('North', 2022, 'no such year'),
      failed('East', 2021),
      failed('East', 2021),
    ];
    expect(failureLines('failed', jobs).slice(1)).toEqual([
      '  North (2021): geometry_invalid: too small',
      '  North (2022): geometry_invalid: no such year',
      '  East (2021): geometry_invalid: too small',
      '  East (2021): geometry_invalid: too small',
    ]);
  });

  it('count the jobs that are not listed', () => {
    const jobs = Array.from({ length: 12 }, (_, field) => [
      failed(`f${field}`, 2021),
      failed(`f${field}`, 2022),
    ]).flat();
    expect(failureLines('would fail', jobs).at(0)).toBe('24 jobs would fail:');
    expect(failureLines('would fail', jobs).at(-1)).toBe('  and 4 more');
  });
});
