import * as z from 'zod/mini';
import { csvRow } from '../../../csv/csv-row.ts';
import type { ResultRow } from '../../../domain/batch/read-results.ts';
import { type ResultRowView, resultRow } from './result-row.ts';

const COLUMNS = z.keyof(resultRow).options;

export const CSV_HEADER = csvRow([...COLUMNS, 'properties']);

/**
 * `properties` are one column of JSON text: as columns of their own they would change from page to page,
 * could be named like ours, and a thousand jobs may have more keys than a spreadsheet has columns.
 */
export function csvRowOf({ properties }: ResultRow, row: ResultRowView): string {
  return csvRow([...COLUMNS.map((name) => row[name]), properties]);
}
