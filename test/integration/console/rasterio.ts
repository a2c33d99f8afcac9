import { runCheck } from '../raster/run-check.ts';

const SCRIPT = '../console/raster.py';

export interface Cell {
  /** The values in the property's unit. */
  readonly values: readonly number[];
  /** How many cells have a value in the raster's smallest version. */
  readonly valid: number;
}

/** What rasterio reads of a file, in the cell at a place. */
export async function cellAt(file: string, lon: number, lat: number): Promise<Cell> {
  return (await runCheck(SCRIPT, ['cell', file, String(lon), String(lat)])) as Cell;
}

/** A raster of the same cells in another reference system. */
export async function reproject(from: string, to: string, crs: string): Promise<void> {
  await runCheck(SCRIPT, ['reproject', from, to, crs]);
}

/** The same raster with its cells compressed by ZSTD, as Node only does it since 22.15. */
export async function compressByZstd(from: string, to: string): Promise<void> {
  await runCheck(SCRIPT, ['zstd', from, to]);
}
