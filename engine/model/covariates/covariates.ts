import { mapInParallel } from '../../concurrency/in-parallel.ts';
import { columnsAround } from '../../raster/grid/grid.ts';
import type { Covariate, Manifest } from '../pack/manifest.ts';
import type { Pack } from '../pack/pack.ts';
import { type CovariateRaster, closeRasterFiles, openCovariateRaster } from './covariate-raster.ts';
import type { CellWindow } from './place-on-grid.ts';

/** Each read holds its window and the encoded tiles of its requests in memory. */
const CONCURRENT_READS = 4;

/** Opened rasters of a pack, so that a warm function reads each header once. */
const opened = new WeakMap<Pack, Map<string, Promise<CovariateRaster>>>();

/**
 * Reads the pack's covariates over a window of its grid, in the manifest's order.
 * @returns an array per covariate with the values of the window's cells, row-major, NaN where
 * missing; null if the first raster has no value in the window: the other rasters are then not read
 * @throws CovariateUnavailable
 */
export async function readCovariates(
  pack: Pack,
  window: CellWindow,
): Promise<readonly Float32Array[] | null> {
  try {
    return await readAcrossSeam(pack, window);
  } catch (error) {
    // A file may have been replaced, so its cached header may be stale.
    closeCovariates(pack);
    throw error;
  }
}

/** The next read opens the covariates again. */
export function closeCovariates(pack: Pack): void {
  opened.delete(pack);
  closeRasterFiles(pack);
  pack.files.forget?.();
}

async function readAcrossSeam(
  pack: Pack,
  window: CellWindow,
): Promise<readonly Float32Array[] | null> {
  const { grid } = pack.manifest;
  const turn = columnsAround(grid) ?? grid.width;
  const col = window.col % turn;
  if (col + window.width <= turn) return readWindow(pack, { ...window, col });
  // The first column follows the last column of a full turn around the Earth.
  const [west, east] = [turn - col, col + window.width - turn];
  const parts = [
    await readWindow(pack, { ...window, col, width: west }),
    await readWindow(pack, { ...window, col: 0, width: east }),
  ] as const;
  return joinWindows(parts, [west, east], window.height, pack.manifest.covariates.length);
}

async function readWindow(pack: Pack, window: CellWindow): Promise<readonly Float32Array[] | null> {
  const { covariates, grid } = pack.manifest;
  const first = covariates.find((covariate) => covariate.kind === 'raster');
  const mask = first && (await (await openOnce(pack, first)).readWindow(window));
  if (mask?.every(Number.isNaN) === true) return null;
  return mapInParallel(covariates, CONCURRENT_READS, async (covariate) => {
    if (covariate.kind === 'coordinate') return computeCellCentres(grid, covariate.axis, window);
    if (covariate === first && mask !== undefined) return mask;
    return (await openOnce(pack, covariate)).readWindow(window);
  });
}

function joinWindows(
  parts: readonly [readonly Float32Array[] | null, readonly Float32Array[] | null],
  [west, east]: readonly [number, number],
  height: number,
  covariates: number,
): readonly Float32Array[] | null {
  if (parts[0] === null && parts[1] === null) return null;
  return Array.from({ length: covariates }, (_, i) => {
    const cells = new Float32Array((west + east) * height).fill(Number.NaN);
    for (let row = 0; row < height; row += 1) {
      const [left, right] = [parts[0]?.[i], parts[1]?.[i]];
      const at = row * (west + east);
      if (left !== undefined) cells.set(left.subarray(row * west, (row + 1) * west), at);
      if (right !== undefined) cells.set(right.subarray(row * east, (row + 1) * east), at + west);
    }
    return cells;
  });
}

function openOnce(
  pack: Pack,
  covariate: Extract<Covariate, { kind: 'raster' }>,
): Promise<CovariateRaster> {
  const rasters = opened.get(pack) ?? new Map<string, Promise<CovariateRaster>>();
  opened.set(pack, rasters);
  let raster = rasters.get(covariate.name);
  if (!raster) {
    raster = openCovariateRaster(pack, covariate);
    rasters.set(covariate.name, raster);
    raster.catch(() => rasters.delete(covariate.name));
  }
  return raster;
}

/** Coordinates of the cell centres in the grid's CRS: x increases by column, y decreases by row. */
function computeCellCentres(
  { origin: [west, north], cell_size: size }: Manifest['grid'],
  axis: 'x' | 'y',
  { col, row, width, height }: CellWindow,
): Float32Array {
  const centres = new Float32Array(width * height);
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      centres[r * width + c] =
        axis === 'x' ? west + (col + c + 0.5) * size : north - (row + r + 0.5) * size;
    }
  }
  return centres;
}
