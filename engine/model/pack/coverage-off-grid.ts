import { isInPolygon } from '../../geometry/outline.ts';
import type { Position } from '../../geometry/polygon.ts';
import { transformOf } from '../../projection/transform.ts';
import type { ManifestProblem } from './consistency.ts';
import { type Manifest, polygonsOf } from './manifest.ts';

/** Sampled positions along an edge of the grid. */
const SAMPLES_PER_EDGE = 33;

/**
 * Finds a coverage that does not overlap the grid, e.g. with swapped coordinates, a wrong origin or the
 * definition of another zone. Every job would fail as outside the coverage, so this runs at deployment.
 */
export function coverageOffGrid(manifest: Manifest): readonly ManifestProblem[] {
  const { grid } = manifest;
  const { forward, inverse } = transformOf(grid);
  const polygons = polygonsOf(manifest);
  const isOnGrid = (lonLat: Position): boolean =>
    turnsOf(lonLat).some((turn) => {
      const [x, y] = forward(turn);
      const [col, row] = [
        (x - grid.origin[0]) / grid.cell_size,
        (grid.origin[1] - y) / grid.cell_size,
      ];
      return col >= 0 && col <= grid.width && row >= 0 && row <= grid.height;
    });
  const isCovered = (position: Position): boolean => {
    const turns = turnsOf(inverse(position));
    return turns.some((turn) => polygons.some((polygon) => isInPolygon(turn, polygon)));
  };
  if (polygons.flat(2).some(isOnGrid) || samplesOf(grid).some(isCovered)) return [];
  const [lon, lat] = inverse(centreOf(grid));
  const message = `it does not overlap the grid, whose centre is at lon ${lon.toFixed(4)}, lat ${lat.toFixed(4)} by grid.crs.proj4; positions are [longitude, latitude]`;
  return [{ field: 'coverage', message }];
}

function samplesOf({
  origin: [west, north],
  cell_size,
  width,
  height,
}: Manifest['grid']): Position[] {
  const fractions = Array.from({ length: SAMPLES_PER_EDGE }, (_, i) => i / (SAMPLES_PER_EDGE - 1));
  return fractions.flatMap((down) =>
    fractions.map((along): Position => {
      return [west + along * width * cell_size, north - down * height * cell_size];
    }),
  );
}

function centreOf({ origin: [west, north], cell_size, width, height }: Manifest['grid']): Position {
  return [west + (width / 2) * cell_size, north - (height / 2) * cell_size];
}

/** The longitudes of a grid in degrees may exceed ±180. */
const turnsOf = ([lon, lat]: Position): Position[] =>
  [-360, 0, 360].map((turn) => [lon + turn, lat]);
