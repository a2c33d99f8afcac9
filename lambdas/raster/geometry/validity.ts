import { findCrossing, type TouchingRings, touchKey } from './crossings.ts';
import { type Edge, edgesOf } from './edges.ts';
import { type RingSide, ringSide } from './nesting.ts';
import type { MultiPolygonRings, Ring } from './polygon.ts';
import { at, type GeometryErrorCode, type GeometryProblem, problem } from './problem.ts';

interface NumberedRing {
  readonly number: number;
  readonly polygon: number;
  readonly isShell: boolean;
  readonly ring: Ring;
  readonly box: readonly [number, number, number, number];
}

/**
 * What breaks the OGC rules for a (multi)polygon (06-103r4, section 6.1.11 and 6.1.14), or null.
 * One rule is left out: an interior that holes cut apart is taken, for nothing here minds it.
 */
export function findInvalidity(polygons: MultiPolygonRings): GeometryProblem | null {
  const edges = edgesOf(polygons);
  const rings = numberRings(polygons);
  const flat = findFlatRing(rings, edges);
  if (flat !== null) return flat;
  const crossing = findCrossing(edges);
  if ('kind' in crossing) return crossing;
  return findMisplacedRing(rings, crossing);
}

function numberRings(polygons: MultiPolygonRings): NumberedRing[] {
  const numbered: NumberedRing[] = [];
  for (const [polygon, rings] of polygons.entries()) {
    for (const [place, ring] of rings.entries()) {
      const number = numbered.length;
      numbered.push({ number, polygon, isShell: place === 0, ring, box: boxOf(ring) });
    }
  }
  return numbered;
}

function boxOf(ring: Ring): readonly [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of ring) {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}

function findFlatRing(
  rings: readonly NumberedRing[],
  edges: readonly Edge[],
): GeometryProblem | null {
  const edgeCounts = new Map<number, number>();
  for (const edge of edges) edgeCounts.set(edge.ring, edge.ringEdges);
  const flat = rings.find(({ number }) => (edgeCounts.get(number) ?? 0) < 3);
  if (flat === undefined) return null;
  return misplaced(
    'geometry_malformed',
    flat,
    'encloses no area: a ring needs at least three different vertices',
  );
}

function findMisplacedRing(
  rings: readonly NumberedRing[],
  touching: TouchingRings,
): GeometryProblem | null {
  for (const [i, a] of rings.entries()) {
    for (let j = i + 1; j < rings.length; j += 1) {
      const b = rings[j];
      if (b === undefined) continue;
      const found = judgePair(a, b, rings, touching);
      if (found !== null) return found;
    }
  }
  return null;
}

/** `a` comes first: in one polygon it is the shell of `b`, or both are holes. */
function judgePair(
  a: NumberedRing,
  b: NumberedRing,
  rings: readonly NumberedRing[],
  touching: TouchingRings,
): GeometryProblem | null {
  const bInA = lies(b, a, touching);
  const aInB = lies(a, b, touching);
  if (bInA === 'both' || aInB === 'both') {
    return misplaced('geometry_rings_cross', b, `crosses ring ${a.number} where they touch`);
  }
  if (a.polygon === b.polygon && a.isShell) {
    if (bInA === 'inside') return null;
    return misplaced(
      'geometry_hole_outside_shell',
      b,
      `is a hole but does not lie inside its outer ring (ring ${a.number})`,
    );
  }
  if (a.polygon === b.polygon) {
    if (bInA === 'outside' && aInB === 'outside') return null;
    return misplaced('geometry_rings_overlap', b, `and ring ${a.number} are holes that overlap`);
  }
  if (!a.isShell || !b.isShell) return null;
  if (bInA === 'outside' && aInB === 'outside') return null;
  const [outer, inner] = aInB === 'inside' ? [b, a] : [a, b];
  const island = rings.some(
    (hole) =>
      hole.polygon === outer.polygon && !hole.isShell && lies(inner, hole, touching) === 'inside',
  );
  if (island) return null;
  return misplaced(
    'geometry_rings_overlap',
    inner,
    `lies in the polygon of ring ${outer.number}: polygons of a MultiPolygon may not overlap`,
  );
}

function lies(ring: NumberedRing, other: NumberedRing, touching: TouchingRings): RingSide {
  const [ax0, ay0, ax1, ay1] = ring.box;
  const [bx0, by0, bx1, by1] = other.box;
  if (ax0 > bx1 || bx0 > ax1 || ay0 > by1 || by0 > ay1) return 'outside';
  return ringSide(ring.ring, other.ring, touching.has(touchKey(ring.number, other.number)));
}

function misplaced(
  code: GeometryErrorCode,
  { number, ring }: NumberedRing,
  what: string,
): GeometryProblem {
  const [lon, lat] = ring[0] ?? [0, 0];
  return problem(
    code,
    `Ring ${number} (starting at ${at(lon, lat)}) ${what}. (Rings count from 0.)`,
    { ring: number, vertex: 0, lon, lat },
  );
}
