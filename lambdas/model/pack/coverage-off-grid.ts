import proj4 from 'proj4';
import { type Manifest, polygonsOf } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';

type Place = readonly [number, number];

/** Places of the grid along an edge, from one corner to the other. */
const ALONG = 33;

/**
 * A coverage that has nothing of the grid: latitudes written first, a wrong origin, a definition of
 * another zone. Every job would fail as lying outside, so this is for the time of deployment.
 */
export function coverageOffGrid(manifest: Manifest): readonly ManifestProblem[] {
  const { grid } = manifest;
  const converter = proj4('+proj=longlat +datum=WGS84', grid.crs.proj4);
  const rings = polygonsOf(manifest);
  const isOnGrid = (lonLat: Place): boolean =>
    turnsOf(lonLat).some((turn) => {
      const [x, y] = attempt(() => converter.forward([...turn]));
      const [col, row] = [
        (x - grid.origin[0]) / grid.cell_size,
        (grid.origin[1] - y) / grid.cell_size,
      ];
      return col >= 0 && col <= grid.width && row >= 0 && row <= grid.height;
    });
  const isCovered = (place: Place): boolean => {
    const lonLat = attempt(() => converter.inverse([...place]));
    return turnsOf(lonLat).some((turn) => rings.some((polygon) => isInside(turn, polygon)));
  };
  if (rings.flat(2).some(isOnGrid) || placesOf(grid).some(isCovered)) return [];
  const [lon, lat] = attempt(() => converter.inverse([...middleOf(grid)]));
  const message = `it has nothing of the grid, whose middle is at lon ${lon.toFixed(4)}, lat ${lat.toFixed(4)} by grid.crs.proj4; positions are [longitude, latitude]`;
  return [{ member: 'coverage', message }];
}

function placesOf({ origin: [west, north], cell_size, width, height }: Manifest['grid']): Place[] {
  const shares = Array.from({ length: ALONG }, (_, i) => i / (ALONG - 1));
  return shares.flatMap((down) =>
    shares.map((along): Place => {
      return [west + along * width * cell_size, north - down * height * cell_size];
    }),
  );
}

function middleOf({ origin: [west, north], cell_size, width, height }: Manifest['grid']): Place {
  return [west + (width / 2) * cell_size, north - (height / 2) * cell_size];
}

/** A grid in degrees may go on past ±180. */
const turnsOf = ([lon, lat]: Place): Place[] => [-360, 0, 360].map((turn) => [lon + turn, lat]);

/** By the even-odd rule, holes included. */
function isInside([x, y]: Place, polygon: readonly (readonly Place[])[]): boolean {
  let inside = false;
  for (const ring of polygon) {
    for (const [i, [bx, by]] of ring.entries()) {
      const [ax, ay] = ring[i - 1] ?? [bx, by];
      if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
    }
  }
  return inside;
}

/** proj4 throws for some places that a projection has no image of and gives NaN for others. */
function attempt(convert: () => number[]): Place {
  try {
    const [x = Number.NaN, y = Number.NaN] = convert();
    return [x, y];
  } catch {
    return [Number.NaN, Number.NaN];
  }
}
