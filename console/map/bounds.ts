import type { Polygonal } from '../fields/field.ts';

/** West, south, east, north, in degrees. East of the antimeridian, longitudes continue past 180. */
export type Bounds = readonly [number, number, number, number];

/** The bounds of polygons, across the antimeridian if that is narrower; null if there is no vertex. */
export function boundsOf(polygons: readonly Polygonal[]): Bounds | null {
  const parts = polygons.flatMap(partsOf).map((rings) => boundsOfVertices(rings.flat()));
  const bounds = enclose(parts);
  if (bounds[2] - bounds[0] > 180) {
    const turned = enclose(parts.map((part) => (part[2] <= 0 ? shiftByTurn(part) : part)));
    if (turned[2] - turned[0] < bounds[2] - bounds[0]) return turned;
  }
  return bounds[0] <= bounds[2] && bounds[1] <= bounds[3] ? bounds : null;
}

type Vertex = readonly number[];

function partsOf(polygon: Polygonal): readonly (readonly (readonly Vertex[])[])[] {
  return polygon.type === 'Polygon' ? [polygon.coordinates] : polygon.coordinates;
}

function boundsOfVertices(vertices: readonly Vertex[]): Bounds {
  return enclose(
    vertices.map(([lon = Number.NaN, lat = Number.NaN]): Bounds => [lon, lat, lon, lat]),
  );
}

function enclose(boxes: readonly Bounds[]): Bounds {
  let [west, south, east, north] = NOWHERE;
  for (const box of boxes) {
    west = Math.min(west, box[0]);
    south = Math.min(south, box[1]);
    east = Math.max(east, box[2]);
    north = Math.max(north, box[3]);
  }
  return [west, south, east, north];
}

function shiftByTurn([west, south, east, north]: Bounds): Bounds {
  return [west + 360, south, east + 360, north];
}

const NOWHERE: Bounds = [Infinity, Infinity, -Infinity, -Infinity];

/**
 * The bounds of the fields whose bounds overlap those of a model's coverage, or of all fields if there are none: a
 * distant field would shrink the others to a dot.
 */
export function computeCoveredBounds(
  fields: readonly Polygonal[],
  models: readonly { readonly coverage: Polygonal }[],
): Bounds | null {
  const coverages = models.map(({ coverage }) => boundsOf([coverage]));
  const covered = fields.filter((field) => {
    const bounds = boundsOf([field]);
    return coverages.some((coverage) => coverage && bounds && overlap(coverage, bounds));
  });
  return boundsOf(covered.length > 0 ? covered : fields);
}

function overlap(a: Bounds, b: Bounds): boolean {
  const meetTurned = [-360, 0, 360].some((turn) => a[0] + turn <= b[2] && b[0] <= a[2] + turn);
  return meetTurned && a[1] <= b[3] && b[1] <= a[3];
}

export function verticesOf(polygon: Polygonal): readonly Vertex[] {
  return partsOf(polygon).flat(2);
}
