import type { Column, Scalar } from './result-columns.ts';
import type { ResultJob } from './result-job.ts';

/**
 * A spreadsheet runs a cell as a formula if it begins with one of these, whether quoted or not
 * (https://owasp.org/www-community/attacks/CSV_Injection), in East Asian versions also full-width. Spaces
 * and a byte order mark before it may be dropped.
 */
const FORMULA = /^['\s]*[=+\-@＝＋－＠]|^'*[\t\r\n]/;

/** Characters that need quotes (RFC 4180, section 2, rule 6), and spaces at the ends, which readers may trim. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe, as in the service's table. */
export function csvOf(columns: readonly Column[], jobs: readonly ResultJob[]): string {
  const header = csvRow(columns.map(({ name }) => name));
  return header + jobs.map((job) => csvRow(columns.map((one) => one.cellOf(job)))).join('');
}

/** One row with its line break. */
export function csvRow(cells: readonly Scalar[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Scalar): string {
  // Numbers stay numbers: a negative one is no formula.
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
