import { runInThread } from '../gdal/run-in-thread.ts';
import type { Column } from './result-columns.ts';
import type { ResultJob } from './result-job.ts';

/** The table as a layer of a GeoPackage: what GDAL, QGIS and pandas read. */
export async function geoPackageOf(
  columns: readonly Column[],
  jobs: readonly ResultJob[],
): Promise<Uint8Array> {
  const result = await runInThread({
    kind: 'write-geopackage',
    layer: 'results',
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows: jobs.map((job) => ({
      geometry: job.field.geometry,
      values: columns.map((column) => column.cellOf(job)),
    })),
  });
  if (result.outcome === 'written') return result.content;
  throw new Error(`results.gpkg cannot be written: ${result.reason}`);
}
