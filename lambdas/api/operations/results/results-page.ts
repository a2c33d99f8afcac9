import { inParallel } from '#engine/concurrency/in-parallel.ts';
import { RawJson, stringify } from '#engine/json/raw-json.ts';
import type { BatchResults, ResultRow } from '../../../domain/batch/read-results.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ResultsFormat } from '../../contract/parameters.ts';
import { GEOJSON } from '../../http/response.ts';
import type { ItemPorts } from '../job/item-of-result.ts';
import { resultLinks } from '../job/result-links.ts';
import { CSV_HEADER, csvRowOf } from './csv-rows.ts';
import { featureOf } from './geojson-rows.ts';
import { pageOfRows } from './page-of-rows.ts';
import { resultRowView } from './result-row.ts';
import { itemOf } from './stac-rows.ts';

/** Rasters whose headers are read at the same time for the Items of a page. */
const RASTERS_AT_ONCE = 16;

export interface PageRequest {
  readonly format: ResultsFormat;
  /** A job index. */
  readonly first: number;
  readonly baseUrl: string;
}

export interface ResultsPage {
  readonly rows: readonly string[];
  /** Where the next page starts; null after the last. */
  readonly next: number | null;
}

export async function resultsPage(
  ports: ItemPorts,
  results: BatchResults,
  request: PageRequest,
): Promise<ResultsPage> {
  const rows = pageOfRows(await rowsOf(ports, results, request));
  const next = request.first + rows.length;
  return { rows, next: next < results.batch.totalJobs ? next : null };
}

async function rowsOf(
  ports: ItemPorts,
  { batch, rowsFrom }: BatchResults,
  { format, first, baseUrl }: PageRequest,
): Promise<Iterable<string>> {
  const { batchId, resultsExpireAt } = batch;
  if (format === 'stac') {
    const chosen = taken(rowsFrom(first), LIMITS.resultsPage.items);
    return inParallel(chosen, RASTERS_AT_ONCE, (row) => itemOf(ports, row, batchId, baseUrl));
  }
  const write = format === 'csv' ? csvRowOf : featureOf;
  const resultUrl = (jobId: string) => resultLinks(baseUrl, batchId, jobId).result;
  return mapped(rowsFrom(first), (row) =>
    write(row, resultRowView(row, resultsExpireAt, resultUrl)),
  );
}

function* taken(rows: Iterable<ResultRow>, most: number): Generator<ResultRow> {
  let count = 0;
  for (const row of rows) {
    yield row;
    if (++count === most) return;
  }
}

function* mapped(rows: Iterable<ResultRow>, write: (row: ResultRow) => string): Generator<string> {
  for (const row of rows) yield write(row);
}

/** @param nextUrl of the next page; null on the last */
export function textOfPage(
  { batch, finished }: BatchResults,
  { format, first }: PageRequest,
  { rows }: ResultsPage,
  nextUrl: string | null,
): string {
  // Only the first page has the header, so that the pages one after the other are one file.
  if (format === 'csv') return (first === 0 ? CSV_HEADER : '') + rows.join('');
  return stringify({
    type: 'FeatureCollection',
    batch_id: batch.batchId,
    finished,
    // As in OGC API Features (OGC 17-069r4, section 7.15.6) and STAC API.
    links: nextUrl === null ? [] : [{ rel: 'next', href: nextUrl, type: GEOJSON }],
    features: new RawJson(`[${rows.join(',')}]`),
  });
}

/** RFC 4180, section 3, has the parameter `header`. */
export function mediaTypeOfPage({ format, first }: PageRequest): string {
  if (format !== 'csv') return GEOJSON;
  return `text/csv; charset=utf-8; header=${first === 0 ? 'present' : 'absent'}`;
}
