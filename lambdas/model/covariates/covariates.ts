import { inParallel } from '../../in-parallel.ts';
import type { Covariate, Manifest } from '../pack/manifest.ts';
import type { Pack } from '../pack/pack.ts';
import type { CellWindow } from './cell-window.ts';
import { type CovariateRaster, openCovariateRaster } from './covariate-raster.ts';

/** Covariates read at a time: each holds its window and a few undecoded tiles besides the cache. */
const AT_ONCE = 4;

/** Opened rasters of a pack, so that a warm function reads each header once. */
const opened = new WeakMap<Pack, Map<string, Promise<CovariateRaster>>>();

/**
 * The pack's covariates over a window of its grid, in the manifest's order.
 *
 * @returns for each covariate the values of the window's cells, row-major, NaN where there is none;
 * null when no cell of the window has the first raster: then the others are not read, and a manifest
 * that begins with its mask costs little over the sea
 * Throws `CovariateUnavailable` naming the covariate.
 */
export async function readCovariates(
  pack: Pack,
  window: CellWindow,
): Promise<readonly Float32Array[] | null> {
  const { covariates, grid } = pack.manifest;
  const first = covariates.find((covariate) => covariate.kind === 'raster');
  const mask = first && (await (await rasterOf(pack, first)).read(window));
  if (mask?.every(Number.isNaN) === true) return null;
  return inParallel(covariates, AT_ONCE, async (covariate) => {
    if (covariate.kind === 'coordinate') return cellCentres(grid, covariate.axis, window);
    if (covariate === first && mask !== undefined) return mask;
    return (await rasterOf(pack, covariate)).read(window);
  });
}

function rasterOf(
  pack: Pack,
  covariate: Extract<Covariate, { kind: 'raster' }>,
): Promise<CovariateRaster> {
  const rasters = opened.get(pack) ?? new Map<string, Promise<CovariateRaster>>();
  opened.set(pack, rasters);
  let raster = rasters.get(covariate.name);
  if (!raster) {
    raster = openCovariateRaster(pack, covariate);
    rasters.set(covariate.name, raster);
    // What failed once, e.g. for a moment without network, is tried again by the next call.
    raster.catch(() => rasters.delete(covariate.name));
  }
  return raster;
}

/** The centre's coordinate in the grid's CRS: x grows eastwards by column, y falls by row. */
function cellCentres(
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
