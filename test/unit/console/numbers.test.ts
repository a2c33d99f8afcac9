import { expect, it } from 'vitest';
import { rounded } from '../../../console/numbers.ts';

it.each([
  [35.24, '35.2'],
  [2_858.4, '2,858'],
  [0.035_24, '0.0352'],
  [0, '0'],
  [1e-120, '0'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-∞'],
])('%f is written as %s', (value, text) => {
  expect(rounded(value)).toBe(text);
});
