import { mapInParallel } from '#engine/concurrency/in-parallel.ts';
import { toGeoJsonBox, toGeoJsonGeometry } from '#engine/geometry/geojson.ts';
import { RawJson, stringifyFields } from '#engine/json/raw-json.ts';
import type { BatchResults, ResultRow } from '../domain/batch/read-results.ts';
import type { ItemHrefs } from '../domain/destination/copy-results.ts';
import { RASTER_MEDIA_TYPE } from '../domain/job/finishing/rasters.ts';
import { LIMITS } from '../domain/limits.ts';
import { GEOJSON, type ResultsFormat } from './formats.ts';
import { jobLinks } from './result-links.ts';
import { CSV_HEADER, formatCsvRow, formatFeature, resultRowView } from './result-row.ts';
import { type ItemPorts, STAC_VERSION, soilFields, stacItem } from './stac-item.ts';

const RASTERS_AT_ONCE = 16;

export interface PageRequest {
  readonly format: ResultsFormat;
  readonly first: number;
  readonly baseUrl: string;
}

export interface ResultsPage {
  readonly rows: readonly string[];
  /** The index at which the next page starts; null on the last page. */
  readonly next: number | null;
}

export async function resultsPage(
  ports: ItemPorts,
  results: BatchResults,
  request: PageRequest,
): Promise<ResultsPage> {
  const rows = pageOfRows(await writeRows(ports, results, request));
  const next = request.first + rows.length;
  return { rows, next: next < results.batch.total_jobs ? next : null };
}

export async function writeRows(
  ports: ItemPorts,
  { batch, rowsFrom }: BatchResults,
  { format, first, baseUrl }: PageRequest,
): Promise<Iterable<string>> {
  const { batch_id: batchId, results_expire_at } = batch;
  if (format === 'stac') {
    const chosen = takeRows(rowsFrom(first), LIMITS.resultsPage.items);
    return mapInParallel(chosen, RASTERS_AT_ONCE, (row) => writeItem(ports, row, baseUrl));
  }
  const catalogue = await ports.catalogue();
  const write = format === 'csv' ? formatCsvRow : formatFeature;
  const linksOf = jobLinks(baseUrl, batchId);
  const resultUrl = (jobId: string) => linksOf(jobId).result;
  return mapRows(rowsFrom(first), (row) =>
    write(row, resultRowView(row, catalogue, results_expire_at, resultUrl)),
  );
}

function* takeRows(rows: Iterable<ResultRow>, most: number): Generator<ResultRow> {
  let count = 0;
  for (const row of rows) {
    yield row;
    if (++count === most) return;
  }
}

function* mapRows(rows: Iterable<ResultRow>, write: (row: ResultRow) => string): Generator<string> {
  for (const row of rows) yield write(row);
}

export interface NextPage {
  readonly cursor: string;
  readonly url: string;
}

/** @param next null on the last page */
export function writePage(
  { batch, finished }: BatchResults,
  { format, first }: PageRequest,
  { rows }: Pick<ResultsPage, 'rows'>,
  next: NextPage | null,
): string {
  // Only the first page has the header, so that the concatenated pages are one valid file.
  if (format === 'csv') return (first === 0 ? CSV_HEADER : '') + rows.join('');
  return stringifyFields({
    type: 'FeatureCollection',
    batch_id: batch.batch_id,
    finished,
    // As in OGC API Features (OGC 17-069r4, section 7.15.6) and the STAC API.
    links: next === null ? [] : [{ rel: 'next', href: next.url, type: GEOJSON }],
    // The API's other lists have the same field.
    next_cursor: next?.cursor ?? null,
    features: new RawJson(`[${rows.join(',')}]`),
  });
}

/** The `header` parameter is defined in RFC 4180, section 3. */
export function pageMediaType({ format, first }: PageRequest): string {
  if (format !== 'csv') return GEOJSON;
  return `text/csv; charset=utf-8; header=${first === 0 ? 'present' : 'absent'}`;
}

/**
 * Lambda returns the body as a JSON string, so each row counts with its escaped size. The page has the first row even
 * if that row exceeds the limit.
 */
function pageOfRows(
  all: Iterable<string>,
  bytes: number = LIMITS.resultsPage.bytes,
): readonly string[] {
  const rows: string[] = [];
  let bytesLeft = bytes;
  for (const row of all) {
    bytesLeft -= Buffer.byteLength(JSON.stringify(row));
    if (bytesLeft < 0 && rows.length > 0) break;
    rows.push(row);
  }
  return rows;
}

/**
 * Formats the Item that `…/item` returns or, for a job without one, a plain Item.
 * @param hrefs the URLs of an Item and its raster outside the API; by default, the API's own
 */
export async function writeItem(
  ports: ItemPorts,
  row: ResultRow,
  baseUrl: string,
  hrefs?: ItemHrefs,
): Promise<string> {
  const { result, requested } = row;
  const item =
    result === null
      ? null
      : await stacItem(ports, { result, detail: row, requested }, baseUrl, hrefs);
  return item ?? plainItem(row, baseUrl, hrefs);
}

/**
 * Writes the Item of a job that has no result or whose model is no longer deployed. The Item states no data period, so
 * `datetime`, which STAC requires, is the time when the batch was created.
 */
function plainItem(row: ResultRow, baseUrl: string, hrefs?: ItemHrefs): string {
  const { job, result, requested } = row;
  const { polygon } = requested.geometry;
  const place =
    polygon === null
      ? { geometry: null }
      : { geometry: toGeoJsonGeometry(polygon), bbox: toGeoJsonBox(polygon) };
  const properties = {
    title: job.name ?? job.job_id,
    datetime: job.created_at,
    created: job.created_at,
    ...soilFields(row),
  };
  const href = hrefs?.data ?? jobLinks(baseUrl, row.batchId)(job.job_id).result;
  return JSON.stringify({
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: [],
    id: job.job_id,
    ...place,
    properties,
    links: hrefs === undefined ? [] : [{ rel: 'self', href: hrefs.self, type: GEOJSON }],
    assets: result === null ? {} : { data: { href, type: RASTER_MEDIA_TYPE, roles: ['data'] } },
  });
}
