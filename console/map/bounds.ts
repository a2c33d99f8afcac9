import type { Polygonal } from '../fields/field.ts';
import type { Bounds } from './projections.ts';

/** The bounds of polygons; null without any vertex. */
export function boundsOf(polygons: readonly Polygonal[]): Bounds | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const polygon of polygons) {
    for (const [lon = Number.NaN, lat = Number.NaN] of verticesOf(polygon)) {
      west = Math.min(west, lon);
      south = Math.min(south, lat);
      east = Math.max(east, lon);
      north = Math.max(north, lat);
    }
  }
  return west <= east && south <= north ? [west, south, east, north] : null;
}

/**
 * The bounds of the fields that a model covers, or of all if none is covered. One field far away would
 * shrink the others to a dot.
 */
export function boundsOfCovered(
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
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

export function verticesOf(polygon: Polygonal): readonly (readonly number[])[] {
  return polygon.type === 'Polygon' ? polygon.coordinates.flat() : polygon.coordinates.flat(2);
}
