/** A cell before it is written; null writes an empty one. */
export type Cell = string | number | boolean | null;

/**
 * A spreadsheet runs a cell as a formula if it begins with one of these, whether quoted or not
 * (https://owasp.org/www-community/attacks/CSV_Injection), in East Asian versions also full-width. Spaces
 * and a byte order mark before it may be dropped.
 */
const FORMULA = /^['\s]*[=+\-@＝＋－＠]|^'*[\t\r\n]/;

/** Characters that need quotes (RFC 4180, section 2, rule 6), and spaces at the ends, which readers may trim. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** One row of RFC 4180, with its line break. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  // Numbers stay numbers: a negative one is no formula.
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
