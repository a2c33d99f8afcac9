import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvCell, joinCsvCells } from '../../../engine/display/csv-row.ts';
import { parseCsv } from '../../support/client/parse-csv.ts';

const INVISIBLE = '\u200B\u2060\u00AD\0\uFEFF\u3164\u{E0020}';
/** Any characters, with many that are special in CSV and spreadsheets. */
const special = fc.constantFrom(...`'"=+-@,;\t\r\n\u0085\u2028 ${INVISIBLE}＝＋－＠\u{1f33e}`);
const text = fc.string({ unit: fc.oneof(special, fc.string({ unit: 'binary', maxLength: 1 })) });

const RUNS = { numRuns: 500 };

/** Restores a text, as a reader would, by removing the apostrophe before each part that looks like a formula. */
function removeApostrophes(cell: string): string {
  const parts = cell.split(/([;\t\n\v\f\r\u0085\u2028\u2029])/);
  const plain = parts.map((part) => (isFormula(part) ? part.slice(1) : part)).join('');
  return /^'+[\t\r\n]/.test(plain) ? plain.slice(1) : plain;
}

/** Ignores leading characters that spreadsheets may drop. */
function isFormula(part: string): boolean {
  return /^[=+\-@＝＋－＠]/.test(
    part.replace(/^[\s'"\p{C}\p{Default_Ignorable_Code_Point}]+/u, ''),
  );
}

/** The cells that a spreadsheet with another separator reads: quotes count only at the start of a cell. */
function separateCells(separator: string, rows: string): readonly string[] {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)(?:"|$))?([^${separator}\r\n]*)(?:[${separator}\r\n]|$)`,
    'y',
  );
  const cells: string[] = [];
  while (cell.lastIndex < rows.length) {
    const match = cell.exec(rows);
    if (match === null) throw new Error('not CSV');
    const [, quoted = '', rest = ''] = match;
    cells.push(quoted.replaceAll('""', '"') + rest);
  }
  return cells;
}

describe('a row of CSV', () => {
  it('preserves any text', () => {
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1 }), { minLength: 1 }), (rows) => {
        const parsed = parseCsv(rows.map(joinCsvCells).join(''));
        expect(parsed.map((row) => row.map(removeApostrophes))).toEqual(rows);
      }),
      RUNS,
    );
  });

  it.each([
    ['a comma', (rows: string) => parseCsv(rows).flat()],
    ['a semicolon', (rows: string) => separateCells(';', rows)],
    ['a tab', (rows: string) => separateCells('\t', rows)],
    ['any separator, quoted or not', (rows: string) => rows.split(/[;\t\r\n]/)],
  ])('contains no formula for a reader who separates cells by %s', (_, cellsOf) => {
    const runs = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u;
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        for (const cell of cellsOf(joinCsvCells(cells))) expect(cell).not.toMatch(runs);
      }),
      RUNS,
    );
  });

  it.each([
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+1', "'+1"],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', `"'\t'=1"`],
    ['\uFEFF=1', "'\uFEFF=1"],
    ['\u00A0 =1', "'\u00A0 =1"],
    ['\r=1', `"'\r'=1"`],
    ["Plot 7;=cmd|'/c calc'!A0;x", `"Plot 7;'=cmd|'/c calc'!A0;x"`],
    ['a;"=1', `"a;'""=1"`],
    ['a\n- b', `"a\n'- b"`],
    ['a;b', '"a;b"'],
    ['a - b = c', 'a - b = c'],
    ["O'Brien", "O'Brien"],
    ['{"a":1}', '"{""a"":1}"'],
    ['', ''],
  ])('writes %j as %j', (cell, written) => {
    expect(joinCsvCells([cell])).toBe(`${written}\r\n`);
  });

  it.each([...INVISIBLE])('puts an apostrophe before a formula that follows %j', (invisible) => {
    expect(joinCsvCells([`${invisible}=1`])).toBe(`'${invisible}=1\r\n`);
    expect(joinCsvCells([`a;${invisible}-1`])).toBe(`"a;'${invisible}-1"\r\n`);
  });

  it('leaves numbers, including negative numbers, and booleans unchanged', () => {
    const cells: readonly CsvCell[] = [-1.5, 1e21, 0, true, null];
    expect(joinCsvCells(cells)).toBe('-1.5,1e+21,0,true,\r\n');
  });

  it('takes less than two seconds of CPU time even if its cells are long and hostile', () => {
    const hostile = ['; ', "'\t", '\u200B', ";'", '"'].map((part) => part.repeat(500_000));
    const started = process.cpuUsage();
    joinCsvCells(hostile);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(2);
  });
});
