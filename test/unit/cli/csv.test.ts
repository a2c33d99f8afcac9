import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvRow } from '../../../cli/src/results/csv.ts';
import { csvRow as serviceRow } from '../../../lambdas/csv/csv-row.ts';

it('rows are written like those of the service’s table', () => {
  const starts = fc.constantFrom(
    '',
    "'",
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '＝',
    '＋',
    '－',
    '＠',
    ' ',
    '\uFEFF',
    ' =',
    '\uFEFF=',
  );
  const text = fc.tuple(starts, fc.string({ unit: 'binary' })).map((parts) => parts.join(''));
  const cell = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
  fc.assert(
    fc.property(fc.array(cell), (cells) => {
      expect(csvRow(cells)).toBe(serviceRow(cells));
    }),
  );
});

it('a text that a spreadsheet would run gets an apostrophe, a number does not', () => {
  expect(csvRow(['=1+1', -1.5, 'a,b', null, true])).toBe(`'=1+1,-1.5,"a,b",,true\r\n`);
});
