import { openCovariateRaster } from '#engine/model/covariates/covariate-raster.ts';
import { readCovariates } from '#engine/model/covariates/covariates.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { transformOfGrid } from '#engine/projection/transform.ts';
import { CommandError } from '../operator/command.ts';

export type LonLat = readonly [lon: number, lat: number];

/** A cell of a pack's grid. */
export interface GridCell {
  readonly col: number;
  readonly row: number;
}

/** Returns a function of a position in WGS84 degrees that finds its cell; null outside the grid. */
export function cellsAt({ manifest: { grid } }: Pack): (position: LonLat) => GridCell | null {
  const { forward } = transformOfGrid(grid);
  return ([lon, lat]) => {
    // The longitudes of a grid in degrees may exceed ±180.
    for (const shift of [0, -360, 360]) {
      const [x, y] = forward([lon + shift, lat]);
      const col = Math.floor((x - grid.origin[0]) / grid.cell_size);
      const row = Math.floor((grid.origin[1] - y) / grid.cell_size);
      if (col >= 0 && col < grid.width && row >= 0 && row < grid.height) return { col, row };
    }
    return null;
  };
}

/** @throws CommandError if none of the positions lies on the grid; it says so if longitude and latitude are swapped */
export function requireOnGrid(pack: Pack, positions: readonly LonLat[]): void {
  const cellAt = cellsAt(pack);
  if (positions.some((position) => cellAt(position) !== null)) return;
  const swapped = countSwapped(pack, positions);
  const hint =
    swapped === 0
      ? ''
      : `, but ${swapped} of ${positions.length} would if lon and lat were swapped`;
  throw new CommandError(`no position lies on the grid of ${pack.ref}${hint}`, 1);
}

/**
 * Reads the covariates of the cell at a position exactly as a prediction does: same level of each file,
 * same resampling, same nodata.
 * @returns a function of a position in WGS84 degrees that returns values in the manifest's order, NaN
 * where missing; null outside the grid. Throws `CovariateUnavailable`.
 */
export function covariatesAt(pack: Pack): (position: LonLat) => Promise<readonly number[] | null> {
  const cellAt = cellsAt(pack);
  const missing = pack.manifest.covariates.map(() => Number.NaN);
  return async (position) => {
    const place = cellAt(position);
    if (place === null) return null;
    const cell = await readCovariates(pack, { ...place, width: 1, height: 1 });
    return cell?.map(([value = Number.NaN]) => value) ?? missing;
  };
}

/** The covariates of the cells in which a rounded position may lie, and of those next to them. */
export interface CellsAround {
  /** Columns and rows of the cells in which it may lie: they begin one cell from the corner of all. */
  readonly inner: readonly [cols: number, rows: number];
  /** The part of the window (`inner` and a cell around it) that lies on the grid, from its corner. */
  readonly window: GridWindow;
  /** For each covariate the values of the window, row-major, NaN where missing. */
  readonly values: readonly (readonly number[])[];
}

type GridWindow = GridCell & { readonly width: number; readonly height: number };

/** The most cells of a window in each direction: a coarser position could be anywhere. */
const MOST_ACROSS = 16;

/**
 * Returns a function of a position in WGS84 degrees, rounded by at most `rounding` (longitude, latitude), that reads
 * as {@link covariatesAt} does; null outside the grid, and where too many cells are possible.
 */
export function covariatesAround(
  pack: Pack,
  [byLon, byLat]: LonLat,
): (position: LonLat) => Promise<CellsAround | null> {
  const { grid, covariates } = pack.manifest;
  const cellAt = cellsAt(pack);
  return async ([lon, lat]) => {
    const place = cellAt([lon, lat]);
    if (place === null) return null;
    const corners = [-1, 1].flatMap((east) =>
      [-1, 1].flatMap((north) => cellAt([lon + east * byLon, lat + north * byLat]) ?? []),
    );
    const [cols, rows] = (['col', 'row'] as const).map((axis) => {
      const found = [place, ...corners].map((cell) => cell[axis]);
      return [Math.min(...found), Math.max(...found)] as const;
    }) as [readonly [number, number], readonly [number, number]];
    const inner = [cols[1] - cols[0] + 1, rows[1] - rows[0] + 1] as const;
    if (Math.max(...inner) + 2 > MOST_ACROSS) return null;
    const [left, top] = [Math.max(cols[0] - 1, 0), Math.max(rows[0] - 1, 0)];
    const window = {
      ...{ col: left, row: top },
      width: Math.min(cols[1] + 2, grid.width) - left,
      height: Math.min(rows[1] + 2, grid.height) - top,
    };
    const found = await readCovariates(pack, window);
    const missing = Array.from({ length: window.width * window.height }, () => Number.NaN);
    return {
      inner,
      window: { ...window, col: left - (cols[0] - 1), row: top - (rows[0] - 1) },
      values: found?.map((cells) => [...cells]) ?? covariates.map(() => missing),
    };
  };
}

/** The smallest difference between two values of each covariate: that of its file, or of the centres of two cells. */
export async function listSteps(pack: Pack): Promise<readonly number[]> {
  const { covariates, grid } = pack.manifest;
  const steps: number[] = [];
  for (const covariate of covariates) {
    steps.push(
      covariate.kind === 'raster'
        ? (await openCovariateRaster(pack, covariate)).step
        : grid.cell_size,
    );
  }
  return steps;
}

/** Positions off the grid that would lie on it if longitude and latitude were swapped. */
export function countSwapped(pack: Pack, positions: readonly LonLat[]): number {
  const cellAt = cellsAt(pack);
  return positions.filter(
    ([lon, lat]) =>
      Math.abs(lon) <= 90 && cellAt([lon, lat]) === null && cellAt([lat, lon]) !== null,
  ).length;
}
