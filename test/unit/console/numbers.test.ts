import { expect, it } from 'vitest';
import { formatDurationRange, formatHectares, formatRounded } from '../../../console/numbers.ts';

it.each([
  [35.24, '35.2'],
  [2_858.4, '2,858'],
  [0.035_24, '0.0352'],
  [0, '0'],
  [1e-120, '0'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-∞'],
])('%f is written as %s', (value, text) => {
  expect(formatRounded(value)).toBe(text);
});

it.each([
  [11, 12, '11 to 12 seconds'],
  [0, 4, 'up to 4 seconds'],
  [0.2, 1, '1 second'],
  [60, 100, '60 seconds to 2 minutes'],
  [100, 150, '2 to 3 minutes'],
  [6_000, 9_000, '2 to 3 hours'],
])('%f to %f seconds are written as %s', (least, most, text) => {
  expect(formatDurationRange(least, most)).toBe(text);
});

it('a tiny area is written as less than 0.0001 ha', () => {
  expect(formatHectares(1.6e-8)).toBe('less than 0.0001 ha');
  expect([formatHectares(0), formatHectares(0.0001)]).toEqual(['0 ha', '0.0001 ha']);
});
