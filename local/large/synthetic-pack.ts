import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Position } from '#engine/geometry/polygon.ts';
import { transformOf } from '#engine/projection/transform.ts';
import type { Grid } from '#engine/raster/grid/grid.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../paths.ts';

/** Created for each run, never committed. */
export const PACKS_FOLDER = path.join(LOCAL_FOLDER, 'packs');
export const PACK_NAME = 'synthetic';

export interface SyntheticOptions {
  /** @default 500 */
  readonly trees?: string | undefined;
  /**
   * Fraction of the archipelago's tiles that are land.
   * @default 0.1
   */
  readonly land?: string | undefined;
}

/** @throws Error with the script's output */
export function makeSyntheticPack({ trees, land }: SyntheticOptions): void {
  // The script needs rasterio, which `npm run setup:tests` installs.
  execFileSync(
    path.join(LOCAL_FOLDER, 'venv', 'bin', 'python'),
    [
      path.join(PROJECT_FOLDER, 'models', 'synthetic', 'make.py'),
      ...['--out', path.join(PACKS_FOLDER, PACK_NAME)],
      ...(trees === undefined ? [] : ['--trees', trees]),
      ...(land === undefined ? [] : ['--land', land]),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

/** Distance of vertices in cells: a straight line in WGS84 between them stays in its row or column. */
const STEP_CELLS = 100;
/** Keeps the edges away from cell boundaries, so that rounding adds no row or column. */
const INSET_CELLS = 0.3;

/** A WGS84 polygon (GeoJSON) whose window in the grid is the given square of cells. */
export function squarePolygon(grid: Grid, col: number, row: number, edge: number) {
  const { inverse } = transformOf(grid);
  const at = (c: number, r: number): Position =>
    inverse([grid.origin[0] + c * grid.cell_size, grid.origin[1] - r * grid.cell_size]);
  const [west, north] = [col + INSET_CELLS, row + INSET_CELLS];
  const length = edge - 2 * INSET_CELLS;
  const steps = Array.from(
    { length: edge / STEP_CELLS },
    (_, i) => (i * STEP_CELLS * length) / edge,
  );
  const ring = [
    ...steps.map((s) => at(west, north + s)),
    ...steps.map((s) => at(west + s, north + length)),
    ...steps.map((s) => at(west + length, north + length - s)),
    ...steps.map((s) => at(west + length - s, north)),
  ];
  return { type: 'Polygon', coordinates: [[...ring, ...ring.slice(0, 1)]] };
}
