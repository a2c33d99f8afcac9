/** A cell before it is written; null writes an empty one. */
export type CsvCell = string | number | boolean | null;

/** Readers with another separator, as spreadsheets have in many countries, begin a cell after each of these. */
const SEPARATOR = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';

/** What may be dropped before a formula: spaces, quotes, and characters that are not shown. */
const DROPPED = `(?:(?!${SEPARATOR})[\\s'"\\p{C}\\p{Default_Ignorable_Code_Point}])*`;

/**
 * Matches the places where an apostrophe has to stand: a spreadsheet runs a cell as a formula if it begins with `=`, `+`, `-` or
 * `@`, whether quoted or not, in East Asian versions also full-width, and a leading tab or line break may be
 * dropped (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA = new RegExp(
  `(?<=^|${SEPARATOR})(?=${DROPPED}[=+\\-@＝＋－＠])|^(?='*[\\t\\r\\n])`,
  'gu',
);

/**
 * Characters that need quotes (RFC 4180, section 2, rule 6), separators of other readers, and spaces at the
 * ends, which readers may trim.
 */
const NEEDS_QUOTES = /[",\r\n;\t]|^\s|\s$/;

/**
 * One row of CSV (RFC 4180) with its line break. An apostrophe precedes what a spreadsheet would run as a
 * formula, at the start of a text and after a semicolon, tab or line break in it. Numbers stay as they are.
 */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replace(FORMULA, "'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
