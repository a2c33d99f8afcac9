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
  const isOnGrid = ([lon, lat]: LonLat): boolean => cellAt([lon, lat]) !== null;
  if (positions.some(isOnGrid)) return;
  const swapped = positions.filter(([lon, lat]) => Math.abs(lon) <= 90 && isOnGrid([lat, lon]));
  const hint =
    swapped.length === 0
      ? ''
      : `, but ${swapped.length} of ${positions.length} would if lon and lat are swapped`;
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
