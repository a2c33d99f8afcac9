import type { Edge, Meeting } from './edges.ts';
import type { Position } from './polygon.ts';
import { formatPlace, type GeometryProblem, geometryProblem } from './problem.ts';

/** Whether two edges follow each other in a ring. */
export function isJoint(a: Edge, b: Edge): boolean {
  if (a.ring !== b.ring) return false;
  const distance = Math.abs(a.place - b.place);
  return distance === 1 || distance === a.ringEdges - 1;
}

/** The location is on the edge that comes first in the request. */
export function describeMeeting(
  one: Edge,
  other: Edge,
  meeting: Exclude<Meeting, { kind: 'apart' }>,
): GeometryProblem {
  const order = one.ring - other.ring || one.place - other.place;
  const [a, b] = order <= 0 ? [one, other] : [other, one];
  const [lon, lat] = meeting.point;
  const location = { ring: a.ring, vertex: a.fromVertex, lon, lat };
  const place = formatPlace(lon, lat);
  if (a.ring === b.ring) {
    const [verb, apart] = {
      touch: ['touches', 'touch'],
      cross: ['crosses', 'cross'],
      overlap: ['runs along', 'overlap'],
    }[meeting.kind];
    return geometryProblem(
      'geometry_self_intersection',
      `The outline ${verb} itself near ${place}. Move a corner so that its edges do not ${apart}.`,
      location,
    );
  }
  const how = meeting.kind === 'overlap' ? 'share part of an edge' : 'cross';
  return geometryProblem(
    'geometry_rings_cross',
    `Two rings of the outline, such as its outer ring and a hole, ${how} near ${place}. Move a corner so that they touch only at single points.`,
    location,
  );
}

/** The error for two touching rings of a polygon that are also connected elsewhere. */
export function describeCut(twins: readonly [Edge, Edge], [lon, lat]: Position): GeometryProblem {
  const [, b] = twins[0].ring < twins[1].ring ? twins : [twins[1], twins[0]];
  return geometryProblem(
    'geometry_interior_cut',
    `Two rings of the outline touch near ${formatPlace(lon, lat)} and are connected elsewhere too, so that they cut the area in two. Make each part a polygon of a MultiPolygon.`,
    { ring: b.ring, vertex: b.fromVertex, lon, lat },
  );
}
