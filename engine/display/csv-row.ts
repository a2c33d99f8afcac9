/** Null becomes an empty cell. */
export type CsvCell = string | number | boolean | null;

/** A program that does not separate cells by commas may begin a new cell after one of these. */
const SEPARATOR = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';

/** Characters that a spreadsheet may drop before a formula: spaces, quotes and invisible characters. */
const DROPPED = `(?:(?!${SEPARATOR})[\\s'"\\p{C}\\p{Default_Ignorable_Code_Point}])*`;

/**
 * Matches the positions that need an apostrophe. A spreadsheet runs a cell as a formula if it begins with `=`, `+`,
 * `-` or `@`, even in quotes; East Asian versions also accept the full-width forms. A spreadsheet may drop a leading
 * tab or line break (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA = new RegExp(
  `(?<=^|${SEPARATOR})(?=${DROPPED}[=+\\-@＝＋－＠])|^(?='*[\\t\\r\\n])`,
  'gu',
);

/**
 * Matches text that needs quotes: the characters of RFC 4180 (section 2, rule 6), the separators
 * `;` and tab of other programs, and leading or trailing white space, which programs may trim.
 */
const NEEDS_QUOTES = /[",\r\n;\t]|^\s|\s$/;

/**
 * Formats a CSV row (RFC 4180) with its line break. Puts an apostrophe before text that a spreadsheet would run
 * as a formula, at the start of a cell and after a semicolon, tab or line break in the cell. Numbers stay as
 * they are.
 */
export function joinCsvCells(cells: readonly CsvCell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replace(FORMULA, "'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
