import { columnsAround } from '../raster/grid/grid.ts';
import { type IsApplicable, loadApplicability } from './applicability/applicability.ts';
import { readCovariates } from './covariates/covariates.ts';
import type { CellWindow } from './covariates/place-on-grid.ts';
import { computeQuantile } from './distribution.ts';
import { loadRegressor } from './load-regressor.ts';
import { countTargets, type Manifest } from './pack/manifest.ts';
import type { Pack } from './pack/pack.ts';
import { createEmptySamples, createSampleEncoder, type Samples } from './pack/samples.ts';
import type { Regressor } from './regressor.ts';
import { walkTiles } from './tile-order.ts';
import { createTrainingTest } from './trained-values.ts';

export type { CellWindow } from './covariates/place-on-grid.ts';

export interface CellCounts {
  /** Number of cells with a prediction; the others hold the manifest's `nodata` in every band. */
  readonly predicted: number;
  /** Predicted cells with a covariate outside the training values; null if the manifest does not state them. */
  readonly outsideTraining: number | null;
  /** Predicted cells outside the area of applicability; null if the manifest does not state it. */
  readonly outsideApplicability: number | null;
}

export const NO_CELLS: CellCounts = {
  predicted: 0,
  outsideTraining: null,
  outsideApplicability: null,
};

export function addCounts(a: CellCounts, b: CellCounts): CellCounts {
  return {
    predicted: a.predicted + b.predicted,
    outsideTraining: addNullable(a.outsideTraining, b.outsideTraining),
    outsideApplicability: addNullable(a.outsideApplicability, b.outsideApplicability),
  };
}

const addNullable = (a: number | null, b: number | null): number | null =>
  b === null ? a : (a ?? 0) + b;

export interface PredictedWindow extends CellCounts {
  /** Cells as stored in the raster, row-major, bands interleaved: [cell][band]. */
  readonly cells: Samples;
}

export interface PredictedStrip extends PredictedWindow {
  readonly window: CellWindow;
  readonly mask: Uint8Array;
}

/**
 * Points per call of the regressor: several blocks for each of its threads, while features and
 * targets stay small compared with the window.
 */
const POINTS_AT_ONCE = 65_536;

/**
 * Predicts those cells of the mask whose covariates all have values.
 *
 * Works in strips of one tile's height, so that memory holds the covariates of one strip, and a window aligned to
 * tiles reads each tile once.
 *
 * @param window cells within the pack's grid
 * @param readMask returns the mask of a strip: width × height, row-major, non-zero for the cells to predict
 * @param threads for the model: the number of vCPUs
 * @returns strips from north to south, each a tile high except for the last. Each strip reuses the memory of the
 * previous one.
 * @throws CovariateUnavailable, `ValueNotStorable`, the errors of `loadRegressor` and `loadApplicability`, or
 * `RangeError` for a window outside the grid or a mask of the wrong size.
 */
export async function* predictStrips(
  pack: Pack,
  window: CellWindow,
  readMask: (strip: CellWindow) => Uint8Array,
  threads = 1,
): AsyncGenerator<PredictedStrip> {
  const { grid, bands, nodata, raster } = pack.manifest;
  requireWindowInGrid(grid, window);
  const most = Math.min(grid.tile_size, window.height) * window.width * bands.length;
  const stripBuffer = createEmptySamples(raster.sample_type, most, nodata);
  const regressor = await loadRegressor(pack, threads);
  const isApplicable = await loadApplicability(pack);
  for (let top = 0; top < window.height; top += grid.tile_size) {
    const height = Math.min(grid.tile_size, window.height - top);
    const strip = { ...window, row: window.row + top, height };
    const mask = readMask(strip);
    requireMaskSize(strip, mask);
    const cells = stripBuffer.subarray(0, mask.length * bands.length).fill(nodata);
    const covariates = mask.some((cell) => cell !== 0) ? await readCovariates(pack, strip) : null;
    const inputs = { covariates, mask, width: strip.width };
    const counts = await predictCells(pack.manifest, { regressor, isApplicable }, inputs, cells);
    yield { window: strip, mask, cells, ...counts };
  }
}

export async function predictWindow(
  pack: Pack,
  window: CellWindow,
  mask: Uint8Array,
  threads = 1,
): Promise<PredictedWindow> {
  const { bands, nodata, raster } = pack.manifest;
  const size = window.width * window.height * bands.length;
  const cells = createEmptySamples(raster.sample_type, size, nodata);
  let filled = 0;
  let counts = NO_CELLS;
  requireWindowInGrid(pack.manifest.grid, window);
  requireMaskSize(window, mask);
  const readMask = ({ row, height }: CellWindow): Uint8Array =>
    mask.subarray((row - window.row) * window.width, (row - window.row + height) * window.width);
  for await (const strip of predictStrips(pack, window, readMask, threads)) {
    cells.set(strip.cells, filled);
    filled += strip.cells.length;
    counts = addCounts(counts, strip);
  }
  return { cells, ...counts };
}

function requireWindowInGrid(
  grid: Manifest['grid'],
  { col, row, width, height }: CellWindow,
): void {
  const whole = [col, row, width, height].every((n) => Number.isInteger(n) && n >= 0);
  const turn = columnsAround(grid);
  const [widest, columns] = turn === null ? [grid.width, grid.width] : [turn, 2 * turn];
  if (!whole || col + width > columns || width > widest || row + height > grid.height) {
    throw new RangeError(
      `window ${width} × ${height} at column ${col}, row ${row} exceeds the grid of ${grid.width} × ${grid.height} cells`,
    );
  }
}

function requireMaskSize({ width, height }: CellWindow, mask: Uint8Array): void {
  if (mask.length !== width * height) {
    throw new RangeError(`the mask has ${mask.length} cells, expected ${width * height}`);
  }
}

interface LoadedModel {
  readonly regressor: Regressor;
  readonly isApplicable: IsApplicable | null;
}

interface StripInputs {
  /** Null if there is no cell to predict, or if the first raster has no value. */
  readonly covariates: readonly Float32Array[] | null;
  readonly mask: Uint8Array;
  readonly width: number;
}

/** Writes to `out` the bands of those cells of the mask whose covariates all have values. */
async function predictCells(
  manifest: Manifest,
  { regressor, isApplicable }: LoadedModel,
  { covariates, mask, width }: StripInputs,
  out: Samples,
): Promise<CellCounts> {
  const isOutside = createTrainingTest(manifest);
  let [points, predicted, outsideTraining, outsideApplicability] = [0, 0, 0, 0];
  const counts = (): CellCounts => ({
    predicted,
    outsideTraining: isOutside === null ? null : outsideTraining,
    outsideApplicability: isApplicable === null ? null : outsideApplicability,
  });
  if (covariates === null) return counts();
  const most = Math.min(POINTS_AT_ONCE, mask.length);
  const features = new Float32Array(most * regressor.features);
  const targets = new Float32Array(most * regressor.targets);
  const applicable = new Uint8Array(most);
  const cellOfPoint = new Int32Array(most);

  async function predictGathered(): Promise<void> {
    await regressor.predict(features, points, targets);
    for (let point = 0; point < points; point += 1) {
      const at = point * regressor.features;
      if (isOutside?.(features, at)) outsideTraining += 1;
      applicable[point] = isApplicable?.(features, at) ? 1 : 0;
      outsideApplicability += 1 - (applicable[point] ?? 0);
    }
    for (const [i, band] of manifest.bands.entries()) {
      const value = createBandReader(manifest, i, targets, applicable);
      const sample = createSampleEncoder(manifest, band);
      for (let point = 0; point < points; point++) {
        const cell = (cellOfPoint[point] ?? 0) * manifest.bands.length;
        out[cell + i] = sample(value(point));
      }
    }
    predicted += points;
    points = 0;
  }

  for (const { from, to } of walkTiles(mask.length, width)) {
    for (let cell = from; cell < to; cell++) {
      if (
        mask[cell] !== 0 &&
        gatherFeatures(covariates, cell, features, points * regressor.features)
      ) {
        cellOfPoint[points++] = cell;
        if (points === most) {
          await predictGathered();
        }
      }
    }
  }
  await predictGathered();
  return counts();
}

/** Returns false if a covariate is missing. */
function gatherFeatures(
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

function createBandReader(
  manifest: Manifest,
  band: number,
  targets: Float32Array,
  applicable: Uint8Array,
): (point: number) => number {
  const { bands, distribution } = manifest;
  const width = countTargets(manifest);
  const from = bands[band]?.from;
  if (from?.kind === 'target') {
    return (point) => targets[point * width + from.index] ?? Number.NaN;
  }
  if (from?.kind === 'quantile' && distribution) {
    const { first_target } = distribution;
    return (point) =>
      computeQuantile(distribution, targets, point * width + first_target, from.probability);
  }
  if (from?.kind === 'applicability') return (point) => applicable[point] ?? Number.NaN;
  throw new Error(`band ${band}: unknown source`);
}
