import type { Mosaic } from '../gdal/build-mosaics.ts';
import { runInThread } from '../gdal/run-in-thread.ts';
import type { ResultJob } from './result-columns.ts';

interface ModelMosaic extends Mosaic {
  readonly model: string;
}

/**
 * A virtual raster (VRT) for each model and year, and beside it the model's QGIS style under the name by
 * which QGIS finds it. A model has one grid, so that this is one per coordinate reference system too;
 * rasters of two years would hide each other.
 */
export async function mosaicsOf(
  folder: string,
  jobs: readonly ResultJob[],
  styleOf: (model: string) => Promise<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const mosaics = groups(jobs);
  const files = new Map<string, string>();
  if (mosaics.length === 0) return files;
  const result = await runInThread({ kind: 'build-mosaics', folder, mosaics });
  if (result.outcome === 'failed') {
    throw new Error(`the virtual raster cannot be written: ${result.reason}`);
  }
  const styles = new Map<string, string | null>();
  for (const [index, { file, model }] of mosaics.entries()) {
    files.set(file, result.texts[index] ?? '');
    if (!styles.has(model)) styles.set(model, await styleOf(model));
    const style = styles.get(model);
    if (typeof style === 'string') files.set(file.replace(/\.vrt$/, '.qml'), style);
  }
  return files;
}

function groups(jobs: readonly ResultJob[]): readonly ModelMosaic[] {
  const found = new Map<string, { model: string; rasters: string[] }>();
  for (const { file, job, year } of jobs) {
    const model = job?.model ?? null;
    if (file === null || model === null) continue;
    const name = `all_${model.replace(/[^\w.-]+/g, '-')}_${year}.vrt`;
    const group = found.get(name) ?? { model, rasters: [] };
    group.rasters.push(file);
    found.set(name, group);
  }
  return [...found].map(([file, { model, rasters }]) => ({ file, model, rasters }));
}
