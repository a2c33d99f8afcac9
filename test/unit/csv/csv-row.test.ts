import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRow } from '../../../lambdas/csv/csv-row.ts';
import { parseCsv } from './parse-csv.ts';

/** Characters that matter to CSV and to spreadsheets, among all others. */
const special = fc.constantFrom(...'\'"=+-@,\t\r\n \uFEFF＝＋－＠\u{1f33e}');
const text = fc.string({ unit: fc.oneof(special, fc.string({ unit: 'binary', maxLength: 1 })) });

/** As a reader who wants the text as it was takes it: without the one apostrophe. */
const unescaped = (cell: string) => cell.replace(/^'(?=['\s]*[=+\-@＝＋－＠]|'*[\t\r\n])/, '');

describe('a row of CSV', () => {
  it('gives back any texts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1 }), { minLength: 1 }), (rows) => {
        const parsed = parseCsv(rows.map(csvRow).join(''));
        expect(parsed.map((row) => row.map(unescaped))).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it('has no cell that a spreadsheet runs as a formula', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        for (const cell of parseCsv(csvRow(cells)).flat()) {
          expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+1', "'+1"],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\uFEFF=1', "'\uFEFF=1"],
    ['\u00A0 =1', "'\u00A0 =1"],
    ['\r=1', `"'\r=1"`],
    ["O'Brien", "O'Brien"],
    ['{"a":1}', '"{""a"":1}"'],
    ['', ''],
  ])('writes %j as %j', (cell, written) => {
    expect(csvRow([cell])).toBe(`${written}\r\n`);
  });

  it('leaves numbers and truth values as they are, also negative ones', () => {
    expect(csvRow([-1.5, 1e21, 0, true, null])).toBe('-1.5,1e+21,0,true,\r\n');
  });
});
