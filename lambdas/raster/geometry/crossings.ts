import Flatbush from 'flatbush';
import { type Edge, type Meeting, meet } from './edges.ts';
import { at, type GeometryProblem, problem } from './problem.ts';

/** Rings that touch in single points, by their numbers: allowed, but worth a look at which side. */
export type TouchingRings = ReadonlySet<string>;

export const touchKey = (a: number, b: number): string => `${Math.min(a, b)}/${Math.max(a, b)}`;

/**
 * The first place where edges meet that must not (OGC 06-103r4, section 6.1.11.1): a ring meets
 * itself nowhere, two rings meet at most in single points.
 */
export function findCrossing(edges: readonly Edge[]): GeometryProblem | TouchingRings {
  const touching = new Set<string>();
  if (edges.length === 0) return touching;
  const index = indexOf(edges);
  for (const [i, edge] of edges.entries()) {
    let first = Number.POSITIVE_INFINITY;
    let found: GeometryProblem | null = null;
    const [minX, minY, maxX, maxY] = box(edge);
    index.search(minX, minY, maxX, maxY, (j) => {
      const other = edges[j];
      if (j <= i || j >= first || other === undefined) return false;
      const meeting = meet(edge, other);
      if (meeting.kind === 'apart' || isJoint(edge, other, meeting)) return false;
      if (edge.ring !== other.ring && meeting.kind === 'touch') {
        touching.add(touchKey(edge.ring, other.ring));
        return false;
      }
      first = j;
      found = describe(edge, other, meeting);
      return false;
    });
    if (found !== null) return found;
  }
  return touching;
}

function indexOf(edges: readonly Edge[]): Flatbush {
  const index = new Flatbush(edges.length);
  for (const edge of edges) index.add(...box(edge));
  index.finish();
  return index;
}

function box({ from, to }: Edge): [number, number, number, number] {
  return [
    Math.min(from[0], to[0]),
    Math.min(from[1], to[1]),
    Math.max(from[0], to[0]),
    Math.max(from[1], to[1]),
  ];
}

/** Neighbouring edges of a ring share their vertex, and nothing else (a spike shares more). */
function isJoint(a: Edge, b: Edge, meeting: Meeting): boolean {
  if (a.ring !== b.ring || meeting.kind !== 'touch') return false;
  const distance = Math.abs(a.place - b.place);
  return distance === 1 || distance === a.ringEdges - 1;
}

function describe(a: Edge, b: Edge, meeting: Exclude<Meeting, { kind: 'apart' }>): GeometryProblem {
  const [lon, lat] = meeting.point;
  const location = { ring: a.ring, vertex: a.fromVertex, lon, lat };
  const edgeA = `from vertex ${a.fromVertex} to ${a.toVertex}`;
  const edgeB = `from vertex ${b.fromVertex} to ${b.toVertex}`;
  if (a.ring === b.ring) {
    const verb = { touch: 'touches', cross: 'crosses', overlap: 'runs along' }[meeting.kind];
    return problem(
      'geometry_self_intersection',
      `Ring ${a.ring} intersects itself at ${at(lon, lat)}: its edge ${edgeA} ${verb} its edge ${edgeB}. Edges of a ring may meet only where one follows the other. (Rings and vertices count from 0.)`,
      location,
    );
  }
  const how = meeting.kind === 'overlap' ? 'share a stretch of edge' : 'cross';
  return problem(
    'geometry_rings_cross',
    `Rings ${a.ring} and ${b.ring} ${how} at ${at(lon, lat)} (ring ${a.ring}, edge ${edgeA}; ring ${b.ring}, edge ${edgeB}). Rings may touch in single points only. (Rings and vertices count from 0.)`,
    location,
  );
}
