import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRow, type Job } from 'soil-batch-client';
import type { Attribute, CoordinateReferenceSystem } from '../fields/field-collection.ts';
import { runInThread } from '../gdal/run-in-thread.ts';
import { writeRecorded } from '../run/digests.ts';
import { attributeColumns } from './attribute-columns.ts';
import { mosaicsOf } from './mosaics.ts';
import { type Column, RESULT_COLUMNS, type ResultJob } from './result-columns.ts';
import { factFiles, type RunFacts } from './run-facts.ts';

/** For spreadsheets. */
export const TABLE_FILE = 'results.csv';

export interface Results {
  readonly folder: string;
  /** Those of the fields (`FieldCollection.attributes`). */
  readonly attributes: readonly Attribute[] | null;
  /** The system of their file, in which the GeoPackage is. */
  readonly crs: CoordinateReferenceSystem;
  /** A row each, in this order. */
  readonly jobs: readonly ResultJob[];
  /** Null if the service no longer has them: the files that the folder has then stay. */
  readonly facts: RunFacts | null;
  /** The QGIS style of a model (`id@version`); null if it has none. */
  styleOf(model: string): Promise<string | null>;
}

/**
 * Writes `results.csv`, `results.gpkg`, `failed.geojson`, `totals.json`, `models.json`, and for each model and year a virtual raster with
 * its style. Each file is replaced as a whole. Returns the names of the files.
 */
export async function writeResults(results: Results): Promise<readonly string[]> {
  const { folder, jobs } = results;
  const fields = [...new Set(jobs.map(({ field }) => field))];
  const columns = [...attributeColumns(results.attributes, fields), ...RESULT_COLUMNS];
  const files = new Map<string, string | Uint8Array>([
    [TABLE_FILE, csvOf(columns, jobs)],
    ['results.gpkg', await geoPackageOf(columns, jobs, results.crs)],
  ]);
  for (const [name, text] of results.facts === null ? [] : factFiles(results.facts)) {
    files.set(name, text);
  }
  const failed = failedGeoJson(jobs);
  if (failed !== null) files.set('failed.geojson', failed);
  // After a retry nothing may have failed any more.
  else await rm(join(folder, 'failed.geojson'), { force: true });
  for (const [name, text] of await mosaicsOf(folder, jobs, results.styleOf)) files.set(name, text);
  await writeRecorded(folder, files);
  return [...files.keys()];
}

/** With the byte order mark that Excel needs to read UTF-8. */
function csvOf(columns: readonly Column[], jobs: readonly ResultJob[]): string {
  const header = csvRow(columns.map(({ name }) => name));
  const rows = jobs.map((job) => csvRow(columns.map((one) => one.cellOf(job))));
  return `\uFEFF${header}${rows.join('')}`;
}

/**
 * The failed fields, and a point for each fault whose place is known. Null if none failed.
 */
function failedGeoJson(jobs: readonly ResultJob[]): string | null {
  const features = jobs.flatMap((one) =>
    one.job?.status === 'failed' ? failure(one, one.job) : [],
  );
  if (features.length === 0) return null;
  // A line per feature can be read and compared.
  const lines = features.map((feature) => JSON.stringify(feature)).join(',\n');
  return `{"type":"FeatureCollection","features":[\n${lines}\n]}\n`;
}

function failure({ field, name, year }: ResultJob, job: Job): readonly object[] {
  const { error_code, error_message, error_location, job_id } = job;
  const properties = { name, year, error_code, error_message, job_id };
  const polygon = {
    type: 'Feature',
    geometry: field.geometry,
    properties: { part: 'field', ...properties },
  };
  if (error_location === null) return [polygon];
  const { ring, vertex, lon, lat } = error_location;
  const geometry = { type: 'Point', coordinates: [lon, lat] };
  return [
    polygon,
    { type: 'Feature', geometry, properties: { part: 'fault', ...properties, ring, vertex } },
  ];
}

/** The table as a layer of a GeoPackage: what GDAL, QGIS and pandas read. */
async function geoPackageOf(
  columns: readonly Column[],
  jobs: readonly ResultJob[],
  { wkt }: CoordinateReferenceSystem,
): Promise<Uint8Array> {
  const result = await runInThread({
    kind: 'write-geopackage',
    layer: 'results',
    crs: wkt ?? null,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows: jobs.map((job) => ({
      geometry: job.field.geometry,
      values: columns.map((column) => column.cellOf(job)),
    })),
  });
  if (result.outcome === 'written') return result.content;
  throw new Error(`results.gpkg cannot be written: ${result.reason}`);
}
