import { LIMITS } from '../../../domain/limits.ts';

/**
 * The first rows that fit a page. Lambda returns the body as a JSON string, so a row counts with its bytes
 * in that form: a quote has two, a control character up to six. A page has at least one row; the largest
 * fits.
 */
export function pageOfRows(
  all: Iterable<string>,
  bytes: number = LIMITS.resultsPage.bytes,
): readonly string[] {
  const rows: string[] = [];
  let left = bytes;
  for (const row of all) {
    left -= Buffer.byteLength(JSON.stringify(row));
    if (left < 0 && rows.length > 0) break;
    rows.push(row);
  }
  return rows;
}
