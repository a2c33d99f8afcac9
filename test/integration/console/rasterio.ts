import { runCheck } from '../raster/run-check.ts';

const SCRIPT = '../console/raster.py';

export interface Cell {
  /** The values in the property's unit. */
  readonly values: readonly number[];
  /** How many cells have a value in the raster's smallest overview. */
  readonly valid: number;
}

export async function readCell(file: string, lon: number, lat: number): Promise<Cell> {
  return (await runCheck(SCRIPT, ['cell', file, String(lon), String(lat)])) as Cell;
}

export async function reproject(from: string, to: string, crs: string): Promise<void> {
  await runCheck(SCRIPT, ['reproject', from, to, crs]);
}

/** Compresses with Python, because Node supports ZSTD only from 22.15. */
export async function compressByZstd(from: string, to: string): Promise<void> {
  await runCheck(SCRIPT, ['zstd', from, to]);
}
