import * as z from 'zod/mini';
import { csvRow } from '../../../../client/src/text/csv-row.ts';
import type { ResultRow } from '../../../domain/batch/read-results.ts';
import { type ResultRowView, resultRow } from './result-row.ts';

const COLUMNS = z.keyof(resultRow).options;

export const CSV_HEADER = csvRow([...COLUMNS, 'properties']);

/**
 * `properties` are one column of JSON text: as columns of their own they would change from page to page,
 * could be named like ours, and a thousand jobs may have more keys than a spreadsheet has columns. Tabs and
 * line breaks in JSON text stand only between its tokens; as spaces they start no cell.
 */
export function csvRowOf({ properties }: ResultRow, row: ResultRowView): string {
  const text = properties?.replace(/[\t\r\n]/g, ' ') ?? null;
  return csvRow([...COLUMNS.map((name) => row[name]), text]);
}
