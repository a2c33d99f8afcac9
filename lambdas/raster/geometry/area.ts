// CommonJS: Node's own loader finds its names on the default import only.
import geographiclib from 'geographiclib-geodesic';
import type { MultiPolygonRings, Ring } from './polygon.ts';

const SQUARE_METRES_PER_HECTARE = 10_000;

/**
 * Area on the WGS84 ellipsoid, holes subtracted, in hectares, edges taken as geodesics.
 * C. F. F. Karney, Algorithms for geodesics, J. Geod. 87 (2013) 43–55.
 */
export function geodesicAreaHectares(polygon: MultiPolygonRings): number {
  let squareMetres = 0;
  for (const [shell, ...holes] of polygon) {
    if (shell === undefined) continue;
    squareMetres += ringArea(shell);
    for (const hole of holes) squareMetres -= ringArea(hole);
  }
  return Math.max(squareMetres, 0) / SQUARE_METRES_PER_HECTARE;
}

function ringArea(ring: Ring): number {
  const area = geographiclib.Geodesic.WGS84.Polygon(false);
  // The library closes the ring itself.
  for (const [lon, lat] of ring.slice(0, -1)) area.AddPoint(lat, lon);
  return Math.abs(area.Compute(false, true).area ?? 0);
}
