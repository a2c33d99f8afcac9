import { openCovariateRaster } from '#engine/model/covariates/covariate-raster.ts';
import { readCovariates } from '#engine/model/covariates/covariates.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { transformOfGrid } from '#engine/projection/transform.ts';
import { CommandError } from '../operator/command.ts';

export type LonLat = readonly [lon: number, lat: number];

export interface GridCell {
  readonly col: number;
  readonly row: number;
}

/** Returns a function that finds the cell of a position in WGS84 degrees; null outside the grid. */
export function createCellFinder({
  manifest: { grid },
}: Pack): (position: LonLat) => GridCell | null {
  const { forward } = transformOfGrid(grid);
  return ([lon, lat]) => {
    // A grid in degrees may have longitudes beyond ±180.
    for (const shift of [0, -360, 360]) {
      const [x, y] = forward([lon + shift, lat]);
      const col = Math.floor((x - grid.origin[0]) / grid.cell_size);
      const row = Math.floor((grid.origin[1] - y) / grid.cell_size);
      if (col >= 0 && col < grid.width && row >= 0 && row < grid.height) return { col, row };
    }
    return null;
  };
}

/**
 * @throws CommandError if no position lies on the grid; the message says so if swapping longitude and latitude would
 * help
 */
export function requireOnGrid(pack: Pack, positions: readonly LonLat[]): void {
  const cellAt = createCellFinder(pack);
  if (positions.some((position) => cellAt(position) !== null)) return;
  const swapped = countSwapped(pack, positions);
  const hint =
    swapped === 0
      ? ''
      : `, but ${swapped} of ${positions.length} would if lon and lat were swapped`;
  throw new CommandError(`no position lies on the grid of ${pack.ref}${hint}`, 1);
}

/**
 * Creates a reader of the covariates of a position's cell. It reads them exactly as a prediction does, with the same
 * resampling, nodata and level of each file.
 * @returns a function from a position in WGS84 degrees to the covariates in the manifest's order, NaN where missing;
 * null outside the grid. The function throws `CovariateUnavailable`.
 */
export function createCovariateReader(
  pack: Pack,
): (position: LonLat) => Promise<readonly number[] | null> {
  const cellAt = createCellFinder(pack);
  const missing = pack.manifest.covariates.map(() => Number.NaN);
  return async (position) => {
    const place = cellAt(position);
    if (place === null) return null;
    const cell = await readCovariates(pack, { ...place, width: 1, height: 1 });
    return cell?.map(([value = Number.NaN]) => value) ?? missing;
  };
}

/** The covariates of the cells in which a rounded position may lie, and of their neighbours. */
export interface CellsAround {
  /** The numbers of columns and rows of cells in which the position may lie. */
  readonly inner: readonly [cols: number, rows: number];
  /**
   * The cells that were read: the `inner` cells and one cell around them, as far as they lie on the grid. `col` and
   * `row` count from the cell one to the left of and above the `inner` cells.
   */
  readonly window: GridWindow;
  /** The values of each covariate in the window, row by row, with NaN where missing. */
  readonly values: readonly (readonly number[])[];
}

type GridWindow = GridCell & { readonly width: number; readonly height: number };

/** The most cells of a window in each direction; if more are possible, the position is too imprecise. */
const MOST_ACROSS = 16;

/**
 * Returns a function that reads like {@link createCovariateReader} around a position in WGS84 degrees, whose longitude
 * and latitude may be off by `byLon` and `byLat`; null outside the grid, or if too many cells are possible.
 */
export function createNeighbourhoodReader(
  pack: Pack,
  [byLon, byLat]: LonLat,
): (position: LonLat) => Promise<CellsAround | null> {
  const { grid, covariates } = pack.manifest;
  const cellAt = createCellFinder(pack);
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

/**
 * Returns the smallest difference between two values of each covariate: the precision of its file, or for coordinates
 * the distance between two cells.
 */
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

/** Counts positions off the grid that would lie on it if longitude and latitude were swapped. */
export function countSwapped(pack: Pack, positions: readonly LonLat[]): number {
  const cellAt = createCellFinder(pack);
  return positions.filter(
    ([lon, lat]) =>
      Math.abs(lon) <= 90 && cellAt([lon, lat]) === null && cellAt([lat, lon]) !== null,
  ).length;
}
