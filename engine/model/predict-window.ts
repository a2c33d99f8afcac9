import { readCovariates } from './covariates/covariates.ts';
import type { CellWindow } from './covariates/place-on-grid.ts';
import { quantile } from './distribution.ts';
import { loadRegressor } from './load-regressor.ts';
import type { Manifest } from './pack/manifest.ts';
import type { Pack } from './pack/pack.ts';
import { emptySamples, type Samples, samplesOfBand } from './pack/samples.ts';
import type { Regressor } from './regressor.ts';
import { inTiles } from './tile-order.ts';
import { type OutsideTraining, outsideTraining } from './trained-values.ts';

export type { CellWindow } from './covariates/place-on-grid.ts';

interface CellCounts {
  /** Number of cells with a prediction; the others hold the manifest's `nodata` in every band. */
  readonly predicted: number;
  /** The number of predicted cells with a covariate outside the training's values; null if the manifest states none. */
  readonly outsideTraining: number | null;
}

export interface PredictedWindow extends CellCounts {
  /** Cells as stored in the raster, row-major, bands interleaved: [cell][band]. */
  readonly cells: Samples;
}

export interface PredictedStrip extends PredictedWindow {
  readonly window: CellWindow;
  /** The mask: non-zero for the cells to predict. */
  readonly wanted: Uint8Array;
}

/**
 * Points per call of the regressor: several blocks for each of its threads, while features and targets
 * stay small compared with the window (10 MiB for a forest of 40 targets).
 */
const POINTS_AT_ONCE = 65_536;

/**
 * Predicts every cell in the mask that has all covariates.
 *
 * Works in strips of one tile's height, so that memory holds the covariates of one strip, and a window
 * aligned to tiles reads each tile once.
 *
 * @param window cells within the pack's grid
 * @param insideOf returns the mask of a strip: width × height, row-major, non-zero for wanted cells
 * @param threads for the model: the number of vCPUs
 * @returns strips from north to south, each a tile high except for the last. Each strip reuses the
 * memory of the previous one.
 * Throws `CovariateUnavailable`, `GraphNotSupported`, `ModelInvalid`, `ValueNotStorable`, or
 * `RangeError` for a window outside the grid or a mask of the wrong size.
 */
export async function* predictStrips(
  pack: Pack,
  window: CellWindow,
  insideOf: (strip: CellWindow) => Uint8Array,
  threads = 1,
): AsyncGenerator<PredictedStrip> {
  const { grid, bands, nodata, raster } = pack.manifest;
  requireWithin(grid, window);
  const most = Math.min(grid.tile_size, window.height) * window.width * bands.length;
  const room = emptySamples(raster.sample_type, most, nodata);
  const regressor = await loadRegressor(pack, threads);
  for (let top = 0; top < window.height; top += grid.tile_size) {
    const height = Math.min(grid.tile_size, window.height - top);
    const strip = { ...window, row: window.row + top, height };
    const wanted = insideOf(strip);
    requireMaskOf(strip, wanted);
    const cells = room.subarray(0, wanted.length * bands.length).fill(nodata);
    const covariates = wanted.some((cell) => cell !== 0) ? await readCovariates(pack, strip) : null;
    const counts = await predictCells(
      pack.manifest,
      regressor,
      covariates,
      wanted,
      strip.width,
      cells,
    );
    yield { window: strip, wanted, cells, ...counts };
  }
}

/** Predicts a window in strips and joins them. */
export async function predictWindow(
  pack: Pack,
  window: CellWindow,
  inside: Uint8Array,
  threads = 1,
): Promise<PredictedWindow> {
  const { bands, nodata, raster } = pack.manifest;
  const size = window.width * window.height * bands.length;
  const cells = emptySamples(raster.sample_type, size, nodata);
  let [filled, predicted] = [0, 0];
  let outside: number | null = null;
  requireWithin(pack.manifest.grid, window);
  requireMaskOf(window, inside);
  const insideOf = ({ row, height }: CellWindow): Uint8Array =>
    inside.subarray((row - window.row) * window.width, (row - window.row + height) * window.width);
  for await (const strip of predictStrips(pack, window, insideOf, threads)) {
    cells.set(strip.cells, filled);
    filled += strip.cells.length;
    predicted += strip.predicted;
    if (strip.outsideTraining !== null) outside = (outside ?? 0) + strip.outsideTraining;
  }
  return { cells, predicted, outsideTraining: outside };
}

function requireWithin(grid: Manifest['grid'], { col, row, width, height }: CellWindow): void {
  const whole = [col, row, width, height].every((n) => Number.isInteger(n) && n >= 0);
  const columns = isGlobal(grid) ? 2 * grid.width : grid.width;
  if (!whole || col + width > columns || width > grid.width || row + height > grid.height) {
    throw new RangeError(
      `window ${width} × ${height} at column ${col}, row ${row} exceeds the grid of ${grid.width} × ${grid.height} cells`,
    );
  }
}

/** Whether the grid spans 360° of longitude, so that columns may exceed the last. */
function isGlobal({ crs, width, cell_size }: Manifest['grid']): boolean {
  return /^\+proj=longlat\b/.test(crs.proj4) && Math.abs(width * cell_size - 360) <= 360e-6;
}

function requireMaskOf({ width, height }: CellWindow, inside: Uint8Array): void {
  if (inside.length !== width * height) {
    throw new RangeError(`the mask has ${inside.length} cells, expected ${width * height}`);
  }
}

/**
 * Writes the bands of the wanted cells that have all covariates.
 * @param covariates null if all are missing
 */
async function predictCells(
  manifest: Manifest,
  regressor: Regressor,
  covariates: readonly Float32Array[] | null,
  wanted: Uint8Array,
  width: number,
  out: Samples,
): Promise<CellCounts> {
  const isOutside = outsideTraining(manifest);
  const counts = (predicted: number, outside: number): CellCounts => ({
    predicted,
    outsideTraining: isOutside === null ? null : outside,
  });
  if (covariates === null) return counts(0, 0);
  const most = Math.min(POINTS_AT_ONCE, wanted.length);
  const features = new Float32Array(most * regressor.features);
  const targets = new Float32Array(most * regressor.targets);
  const cellOfPoint = new Int32Array(most);
  let [predicted, outside, points] = [0, 0, 0];

  async function predictGathered(): Promise<void> {
    await regressor.predict(features, points, targets);
    for (const [i, band] of manifest.bands.entries()) {
      const value = bandValue(manifest, i, targets);
      const sample = samplesOfBand(manifest, band);
      for (let point = 0; point < points; point++) {
        const cell = (cellOfPoint[point] ?? 0) * manifest.bands.length;
        out[cell + i] = sample(value(point * regressor.targets));
      }
    }
    if (isOutside !== null) outside += countOf(isOutside, features, points, regressor.features);
    predicted += points;
    points = 0;
  }

  for (const { from, to } of inTiles(wanted.length, width)) {
    for (let cell = from; cell < to; cell++) {
      if (wanted[cell] !== 0 && gather(covariates, cell, features, points * regressor.features)) {
        cellOfPoint[points++] = cell;
        if (points === most) {
          await predictGathered();
        }
      }
    }
  }
  await predictGathered();
  return counts(predicted, outside);
}

function countOf(
  isOutside: OutsideTraining,
  features: Float32Array,
  points: number,
  length: number,
): number {
  let count = 0;
  for (let point = 0; point < points; point += 1) {
    if (isOutside(features, point * length)) count += 1;
  }
  return count;
}

/** Copies the cell's covariates to `features`; returns false if one is missing. */
function gather(
  covariates: readonly Float32Array[],
  cell: number,
  features: Float32Array,
  at: number,
): boolean {
  for (let i = 0; i < covariates.length; i++) {
    const value = covariates[i]?.[cell] ?? Number.NaN;
    if (Number.isNaN(value)) {
      return false;
    }
    features[at + i] = value;
  }
  return true;
}

/** Computes a band's value from a point's targets, which begin at index `point`. */
function bandValue(
  { bands, distribution }: Manifest,
  band: number,
  targets: Float32Array,
): (point: number) => number {
  const from = bands[band]?.from;
  if (from?.kind === 'target') {
    return (point) => targets[point + from.index] ?? Number.NaN;
  }
  if (from?.kind === 'quantile' && distribution) {
    const { first_target } = distribution;
    return (point) => quantile(distribution, targets, point + first_target, from.probability);
  }
  throw new Error(`band ${band}: unknown source`);
}
