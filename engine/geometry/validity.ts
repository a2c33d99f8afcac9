import { type Edge, listEdges } from './edges.ts';
import type { MultiPolygonRings, Ring } from './polygon.ts';
import {
  formatPlace,
  type GeometryErrorCode,
  type GeometryProblem,
  geometryProblem,
} from './problem.ts';
import { isPlainlySimple } from './simple-ring.ts';
import { type Nesting, sweepRings } from './sweep.ts';

interface NumberedRing {
  readonly number: number;
  /** The number of the outer ring of its polygon. */
  readonly shell: number;
  readonly ring: Ring;
}

/** A violation of the OGC rules for a (multi)polygon (06-103r4, sections 6.1.11 and 6.1.14), or null. */
export function findInvalidity(polygons: MultiPolygonRings): GeometryProblem | null {
  const [ring, ...others] = polygons.flat();
  if (ring !== undefined && others.length === 0 && isPlainlySimple(ring)) return null;
  const edges = listEdges(polygons);
  const rings = numberRings(polygons);
  const flat = findFlatRing(rings, edges);
  if (flat !== null) return flat;
  const nesting = sweepRings(edges);
  if (nesting.kind === 'problem') return nesting;
  return findMisplacedRing(rings, nesting) ?? nesting.cut;
}

function numberRings(polygons: MultiPolygonRings): NumberedRing[] {
  const numbered: NumberedRing[] = [];
  for (const rings of polygons) {
    const shell = numbered.length;
    for (const ring of rings) numbered.push({ number: numbered.length, shell, ring });
  }
  return numbered;
}

function findFlatRing(
  rings: readonly NumberedRing[],
  edges: readonly Edge[],
): GeometryProblem | null {
  const edgeCounts = new Map<number, number>();
  for (const edge of edges) edgeCounts.set(edge.ring, edge.ringEdges);
  const flat = rings.find(({ number }) => (edgeCounts.get(number) ?? 0) < 3);
  if (flat === undefined) return null;
  return misplacedRingProblem(
    'geometry_malformed',
    flat,
    (place) =>
      `The outline encloses no area near ${place}. Give it at least three different corners.`,
  );
}

/**
 * Rings that do not cross are valid if the innermost ring around each hole is the outer ring of its polygon, and each
 * outer ring has no ring around it, or a hole of another polygon as the innermost ring.
 */
function findMisplacedRing(
  rings: readonly NumberedRing[],
  nesting: Nesting,
): GeometryProblem | null {
  for (const ring of rings) {
    const parent = rings[nesting.parents.get(ring.number) ?? -1] ?? null;
    const found = isHole(ring)
      ? findMisplacedHole(ring, parent, nesting)
      : findMisplacedShell(ring, parent);
    if (found !== null) return found;
  }
  return null;
}

function findMisplacedHole(
  hole: NumberedRing,
  parent: NumberedRing | null,
  nesting: Nesting,
): GeometryProblem | null {
  if (parent?.number === hole.shell) return null;
  if (parent === null || !isRingWithin(hole.number, hole.shell, nesting)) {
    return misplacedRingProblem('geometry_hole_outside_shell', hole, describeHoleOutside);
  }
  return misplacedRingProblem('geometry_rings_overlap', hole, (place) =>
    parent.shell === hole.shell
      ? `Two holes overlap near ${place}. Merge them, or move one.`
      : `The hole near ${place} lies in another part of the polygon. Merge the two parts, or move one.`,
  );
}

function findMisplacedShell(
  shell: NumberedRing,
  parent: NumberedRing | null,
): GeometryProblem | null {
  if (parent === null) return null;
  if (parent.shell === shell.number) {
    return misplacedRingProblem('geometry_hole_outside_shell', parent, describeHoleOutside);
  }
  if (isHole(parent)) return null;
  return misplacedRingProblem(
    'geometry_rings_overlap',
    shell,
    (place) => `Two parts of the polygon overlap near ${place}. Merge them, or move one.`,
  );
}

function describeHoleOutside(place: string): string {
  return `The hole near ${place} is not inside its outline. Move it inside, or remove it.`;
}

function isHole({ number, shell }: NumberedRing): boolean {
  return number !== shell;
}

function isRingWithin(ring: number, outer: number, { parents }: Nesting): boolean {
  let around = parents.get(ring) ?? null;
  while (around !== null && around !== outer) around = parents.get(around) ?? null;
  return around === outer;
}

function misplacedRingProblem(
  code: GeometryErrorCode,
  { number, ring }: NumberedRing,
  describe: (place: string) => string,
): GeometryProblem {
  const [lon, lat] = ring[0] ?? [0, 0];
  const location = { ring: number, vertex: 0, lon, lat };
  return geometryProblem(code, describe(formatPlace(lon, lat)), location);
}
