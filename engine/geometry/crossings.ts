import type { Edge, Meeting } from './edges.ts';
import type { Position } from './polygon.ts';
import { formatPosition, type GeometryProblem, geometryProblem } from './problem.ts';

const COUNTED = '(Rings and vertices count from 0.)';

/** Whether two edges follow each other in a ring, so that they share a vertex. */
export function isJoint(a: Edge, b: Edge): boolean {
  if (a.ring !== b.ring) return false;
  const distance = Math.abs(a.place - b.place);
  return distance === 1 || distance === a.ringEdges - 1;
}

/** The error for two edges that may not meet; names them in the order of the request. */
export function describeMeeting(
  one: Edge,
  other: Edge,
  meeting: Exclude<Meeting, { kind: 'apart' }>,
): GeometryProblem {
  const isInOrder = one.ring - other.ring || one.place - other.place;
  const [a, b] = isInOrder <= 0 ? [one, other] : [other, one];
  const [lon, lat] = meeting.point;
  const location = { ring: a.ring, vertex: a.fromVertex, lon, lat };
  const edgeA = `from vertex ${a.fromVertex} to ${a.toVertex}`;
  const edgeB = `from vertex ${b.fromVertex} to ${b.toVertex}`;
  if (a.ring === b.ring) {
    const verb = { touch: 'touches', cross: 'crosses', overlap: 'runs along' }[meeting.kind];
    return geometryProblem(
      'geometry_self_intersection',
      `Ring ${a.ring} intersects itself at ${formatPosition(lon, lat)}: its edge ${edgeA} ${verb} its edge ${edgeB}. Edges of a ring may meet only where one follows the other. ${COUNTED}`,
      location,
    );
  }
  const how = meeting.kind === 'overlap' ? 'share part of an edge' : 'cross';
  return geometryProblem(
    'geometry_rings_cross',
    `Rings ${a.ring} and ${b.ring} ${how} at ${formatPosition(lon, lat)} (ring ${a.ring}, edge ${edgeA}; ring ${b.ring}, edge ${edgeB}). Rings may touch only at single points. ${COUNTED}`,
    location,
  );
}

/** The error for two rings of a polygon that touch and are also connected elsewhere, directly or through other rings. */
export function describeCut(twins: readonly [Edge, Edge], [lon, lat]: Position): GeometryProblem {
  const [a, b] = twins[0].ring < twins[1].ring ? twins : [twins[1], twins[0]];
  return geometryProblem(
    'geometry_interior_cut',
    `Ring ${b.ring} touches ring ${a.ring} at ${formatPosition(lon, lat)} (on its edge from vertex ${b.fromVertex} to ${b.toVertex}), and the two rings are also connected elsewhere, so they split the interior of their polygon. Send each part as a polygon of a MultiPolygon. ${COUNTED}`,
    { ring: b.ring, vertex: b.fromVertex, lon, lat },
  );
}
