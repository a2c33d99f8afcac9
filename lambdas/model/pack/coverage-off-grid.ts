import { isInPolygon } from '../../geometry/nesting.ts';
import type { Position } from '../../geometry/polygon.ts';
import { transformOf } from '../../projection/transform.ts';
import { type Manifest, polygonsOf } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';

/** Places of the grid along an edge, from one corner to the other. */
const ALONG = 33;

/**
 * A coverage that has nothing of the grid: latitudes written first, a wrong origin, a definition of
 * another zone. Every job would fail as lying outside, so this is for the time of deployment.
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
  const isCovered = (place: Position): boolean => {
    const turns = turnsOf(inverse(place));
    return turns.some((turn) => polygons.some((polygon) => isInPolygon(turn, polygon)));
  };
  if (polygons.flat(2).some(isOnGrid) || placesOf(grid).some(isCovered)) return [];
  const [lon, lat] = inverse(middleOf(grid));
  const message = `it has nothing of the grid, whose middle is at lon ${lon.toFixed(4)}, lat ${lat.toFixed(4)} by grid.crs.proj4; positions are [longitude, latitude]`;
  return [{ field: 'coverage', message }];
}

function placesOf({
  origin: [west, north],
  cell_size,
  width,
  height,
}: Manifest['grid']): Position[] {
  const shares = Array.from({ length: ALONG }, (_, i) => i / (ALONG - 1));
  return shares.flatMap((down) =>
    shares.map((along): Position => {
      return [west + along * width * cell_size, north - down * height * cell_size];
    }),
  );
}

function middleOf({ origin: [west, north], cell_size, width, height }: Manifest['grid']): Position {
  return [west + (width / 2) * cell_size, north - (height / 2) * cell_size];
}

/** A grid in degrees may go on past ±180. */
const turnsOf = ([lon, lat]: Position): Position[] =>
  [-360, 0, 360].map((turn) => [lon + turn, lat]);
