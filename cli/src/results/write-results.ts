import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRow } from 'soil-batch-client';
import type { Attribute } from '../fields/field-collection.ts';
import { replaceFile } from '../run/replace-file.ts';
import { attributeColumns } from './attribute-columns.ts';
import { failedGeoJson } from './failed-geojson.ts';
import { geoPackageOf } from './geopackage.ts';
import { mosaicsOf } from './mosaics.ts';
import { type Column, RESULT_COLUMNS } from './result-columns.ts';
import type { ResultJob } from './result-job.ts';

export interface Results {
  readonly folder: string;
  /** Those of the fields (`FieldCollection.attributes`). */
  readonly attributes: readonly Attribute[] | null;
  /** A row each, in this order. */
  readonly jobs: readonly ResultJob[];
  /** The QGIS style of a model (`id@version`); null if it has none. */
  styleOf(model: string): Promise<string | null>;
}

/**
 * Writes `results.csv`, `results.gpkg`, `failed.geojson`, and for each model and year a virtual raster with
 * its style. Each file is replaced as a whole. Returns the names of the files.
 */
export async function writeResults(results: Results): Promise<readonly string[]> {
  const { folder, jobs } = results;
  const fields = [...new Set(jobs.map(({ field }) => field))];
  const columns = [...attributeColumns(results.attributes, fields), ...RESULT_COLUMNS];
  const files = new Map<string, string | Uint8Array>([
    ['results.csv', csvOf(columns, jobs)],
    ['results.gpkg', await geoPackageOf(columns, jobs)],
  ]);
  const failed = failedGeoJson(jobs);
  if (failed !== null) files.set('failed.geojson', failed);
  // After a retry nothing may have failed any more.
  else await rm(join(folder, 'failed.geojson'), { force: true });
  for (const [name, text] of await mosaicsOf(folder, jobs, results.styleOf)) files.set(name, text);
  for (const [name, content] of files) await replaceFile(join(folder, name), content);
  return [...files.keys()];
}

/** With the byte order mark that Excel needs to read UTF-8. */
function csvOf(columns: readonly Column[], jobs: readonly ResultJob[]): string {
  const header = csvRow(columns.map(({ name }) => name));
  const rows = jobs.map((job) => csvRow(columns.map((one) => one.cellOf(job))));
  return `\uFEFF${header}${rows.join('')}`;
}
