import { isInPolygon } from '../../geometry/outline.ts';
import type { Position } from '../../geometry/polygon.ts';
import { transformOfGrid } from '../../projection/transform.ts';
import type { ManifestProblem } from './consistency.ts';
import { coveragePolygonsOf, type Manifest } from './manifest.ts';

const SAMPLES_PER_EDGE = 33;

/**
 * Finds a coverage that does not overlap the grid, e.g. with swapped coordinates, a wrong origin or the
 * definition of another zone. Every job would fail as outside the coverage, so this runs at deployment.
 */
export function findCoverageOffGrid(manifest: Manifest): readonly ManifestProblem[] {
  const { grid } = manifest;
  const { forward, inverse } = transformOfGrid(grid);
  const polygons = coveragePolygonsOf(manifest);
  const isOnGrid = (lonLat: Position): boolean =>
    listTurns(lonLat).some((turn) => {
      const [x, y] = forward(turn);
      const [col, row] = [
        (x - grid.origin[0]) / grid.cell_size,
        (grid.origin[1] - y) / grid.cell_size,
      ];
      return col >= 0 && col <= grid.width && row >= 0 && row <= grid.height;
    });
  const isCovered = (position: Position): boolean => {
    const turns = listTurns(inverse(position));
    return turns.some((turn) => polygons.some((polygon) => isInPolygon(turn, polygon)));
  };
  if (polygons.flat(2).some(isOnGrid) || listSamplePositions(grid).some(isCovered)) return [];
  const [lon, lat] = inverse(findGridCentre(grid));
  const message = `it does not overlap the grid, whose centre is at lon ${lon.toFixed(4)}, lat ${lat.toFixed(4)} according to grid.crs.proj4; positions are [longitude, latitude]`;
  return [{ field: 'coverage', message }];
}

function listSamplePositions({
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

function findGridCentre({
  origin: [west, north],
  cell_size,
  width,
  height,
}: Manifest['grid']): Position {
  return [west + (width / 2) * cell_size, north - (height / 2) * cell_size];
}

/** The longitudes of a grid in degrees may exceed ±180. */
const listTurns = ([lon, lat]: Position): Position[] =>
  [-360, 0, 360].map((turn) => [lon + turn, lat]);
