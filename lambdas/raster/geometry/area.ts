// CommonJS: Node's own loader finds its names on the default import only.
import geographiclib from 'geographiclib-geodesic';
import type { MultiPolygonRings, Position, Ring } from './polygon.ts';

const SQUARE_METRES_PER_HECTARE = 10_000;

/**
 * GeoJSON's edges are straight in longitude and latitude (RFC 7946 section 3.1.1), the library's
 * are geodesics, by the shorter way round. Fields' edges hardly differ; longer ones are cut.
 */
const MAX_EDGE_DEGREES = 1;

/**
 * A ring more than 500° around is cut less finely: it is far over any limit already, and a thousand
 * of them must not cost minutes.
 */
const MAX_PIECES = 500;
const MAX_STEP_DEGREES = 45;

/** Below it no ring holds half of the Earth; above it none is a sliver that could turn over. */
const LARGE_SQUARE_DEGREES = 10_000;

/** WGS84: 2π a² + π b² / e · ln((1 + e) / (1 − e)). */
const EARTH_SQUARE_METRES = 510_065_621_724_088;

/**
 * Area on the WGS84 ellipsoid, holes subtracted, in hectares.
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
  const around = edgesOf(ring).reduce((sum, edge) => sum + spanOf(edge), 0);
  const step = Math.min(Math.max(MAX_EDGE_DEGREES, around / MAX_PIECES), MAX_STEP_DEGREES);
  for (const edge of edgesOf(ring)) {
    const [from, to] = edge;
    const pieces = Math.max(Math.ceil(spanOf(edge) / step), 1);
    // The piece's end is the next one's start; the library closes the ring itself.
    for (let i = 0; i < pieces; i += 1) {
      const share = i / pieces;
      area.AddPoint(from[1] + (to[1] - from[1]) * share, from[0] + (to[0] - from[0]) * share);
    }
  }
  const signed = area.Compute(false, true).area ?? 0;
  const planar = signedDegrees(ring);
  if (Math.abs(planar) < LARGE_SQUARE_DEGREES) return Math.abs(signed);
  // The library counts modulo the Earth's area, from −½ to ½: more than half comes out turned round.
  const turned = Math.sign(signed) !== Math.sign(planar) || Math.abs(signed) < 1;
  return turned ? EARTH_SQUARE_METRES - Math.abs(signed) : Math.abs(signed);
}

type Edge = readonly [Position, Position];

function edgesOf(ring: Ring): readonly Edge[] {
  return ring.slice(1).map((to, i): Edge => [ring[i] ?? to, to]);
}

/** In square degrees; positive where the ring runs counter-clockwise. */
function signedDegrees(ring: Ring): number {
  return edgesOf(ring).reduce((sum, [a, b]) => sum + (a[0] * b[1] - b[0] * a[1]) / 2, 0);
}

function spanOf([from, to]: Edge): number {
  return Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
}
