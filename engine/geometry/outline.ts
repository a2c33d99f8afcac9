import { orient2d } from 'robust-predicates';
import type { PolygonRings, Position, Ring } from './polygon.ts';

/** The edges of a polygon's rings, directed so that its interior is on their left. */
export interface Outline {
  readonly polygon: PolygonRings;
  /** The shell, then the holes. */
  readonly rings: readonly (readonly OutlineEdge[])[];
  readonly box: Box;
}

interface OutlineEdge {
  readonly from: Position;
  readonly to: Position;
  readonly before: Position;
  readonly box: Box;
}

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** @param polygon valid; either winding */
export function buildOutline(polygon: PolygonRings): Outline {
  const rings = polygon.map((ring, i) => listOutlineEdges(ring, i === 0 ? 1 : -1));
  return { polygon, rings, box: computePaddedBox(polygon.flat()) };
}

/**
 * Where a segment of one polygon's outline runs relative to another polygon: in its interior or
 * exterior; along its outline, with both interiors on the same side (`along`) or on opposite sides
 * (`against`); or across its outline.
 */
export type Course = 'inside' | 'outside' | 'along' | 'against' | 'across';

/**
 * The courses of all segments of a ring; stops at the first segment that is `across`. The ring is cut at every vertex
 * of the other outline that lies on it, so a segment meets that outline only at its ends, along its whole length, or
 * by crossing it. Where a segment begins on the outline, the angle there determines its course. A segment that begins
 * elsewhere either crosses the outline or has the course of the previous segment. If the ring does not touch the
 * outline at all, its first vertex determines the course of the whole ring.
 */
export function findCourses(ring: readonly OutlineEdge[], other: Outline): ReadonlySet<Course> {
  const courses = new Set<Course>();
  const around = computePaddedBox(ring.map(({ from }) => from));
  const near = other.rings.flat().filter(({ box }) => doBoxesTouch(box, around));
  for (const edge of near.length === 0 ? [] : ring) {
    const met = near.filter(({ box }) => doBoxesTouch(box, edge.box));
    if (met.length === 0) continue;
    const stops = listStops(edge, met);
    for (const [i, to] of stops.entries()) {
      const course = findSegmentCourse(stops[i - 1] ?? edge.from, to, met);
      if (course !== null) courses.add(course);
      if (course === 'across') return courses;
    }
  }
  const [first] = ring;
  if (courses.size === 0 && first !== undefined) courses.add(findPlaceCourse(first.from, other));
  return courses;
}

export function doBoxesTouch(a: Box, b: Box): boolean {
  return a.east >= b.west && a.west <= b.east && a.north >= b.south && a.south <= b.north;
}

/**
 * The ends of an edge's segments: the other outline's vertices on the edge, in order along it, then
 * the edge's end.
 */
function listStops(edge: OutlineEdge, met: readonly OutlineEdge[]): readonly Position[] {
  const { from, to } = edge;
  const axis = Math.abs(to[0] - from[0]) >= Math.abs(to[1] - from[1]) ? 0 : 1;
  const direction = Math.sign(to[axis] - from[axis]);
  const vertices = met
    .map((other) => other.from)
    .filter(
      (vertex) => isOn(edge, vertex) && !isNearlySame(vertex, from) && !isNearlySame(vertex, to),
    )
    .sort((a, b) => direction * (a[axis] - b[axis]));
  return [...vertices.filter((vertex, i) => !isNearlySame(vertex, vertices[i - 1] ?? from)), to];
}

/** The course is null where the segment begins off the outline and does not cross it. */
function findSegmentCourse(
  from: Position,
  to: Position,
  met: readonly OutlineEdge[],
): Course | null {
  const shared = met.find((edge) => isOn(edge, from) && isOn(edge, to));
  if (shared !== undefined) {
    const [x, y] = [shared.to[0] - shared.from[0], shared.to[1] - shared.from[1]];
    return x * (to[0] - from[0]) + y * (to[1] - from[1]) > 0 ? 'along' : 'against';
  }
  if (met.some((edge) => crosses(edge, from, to))) return 'across';
  let course: Course | null = null;
  for (const edge of met) {
    // At a vertex, use only the edge that begins there: that edge also has the previous vertex.
    if (!isOn(edge, from) || isNearlySame(edge.to, from)) continue;
    const before = isNearlySame(edge.from, from) ? edge.before : edge.from;
    if (!isLeftOf(before, from, edge.to, to)) return 'outside';
    course = 'inside';
  }
  return course;
}

function findPlaceCourse(place: Position, { polygon }: Outline): Course {
  return isInPolygon(place, polygon) ? 'inside' : 'outside';
}

function crosses({ from, to }: OutlineEdge, a: Position, b: Position): boolean {
  return (
    sideOfLine(from, to, a) * sideOfLine(from, to, b) < 0 &&
    sideOfLine(a, b, from) * sideOfLine(a, b, to) < 0
  );
}

/** Whether the direction from `corner` to `place` is left of the path `before` → `corner` → `after`. */
function isLeftOf(before: Position, corner: Position, after: Position, place: Position): boolean {
  const first = sideOfLine(before, corner, place) > 0;
  const second = sideOfLine(corner, after, place) > 0;
  const turn = sideOfLine(before, corner, after);
  if (turn > 0) return first && second;
  return turn < 0 ? first || second : first;
}

function isOn({ from, to, box }: OutlineEdge, [x, y]: Position): boolean {
  if (x < box.west || x > box.east || y < box.south || y > box.north) return false;
  return sideOfLine(from, to, [x, y]) === 0;
}

/**
 * Relative tolerance: a point computed to lie on a line, such as the middle of an edge, is usually
 * off by less.
 */
const ROUNDING = 2 * Number.EPSILON;

/** 1 to the left of the line from a to b, −1 to the right, 0 on it. */
function sideOfLine(a: Position, b: Position, place: Position): number {
  const farthest = (axis: 0 | 1): number =>
    Math.max(Math.abs(a[axis]), Math.abs(b[axis]), Math.abs(place[axis]));
  const slack =
    ROUNDING * (Math.abs(b[0] - a[0]) * farthest(1) + Math.abs(b[1] - a[1]) * farthest(0));
  // orient2d is negative where the point is left of the line (y grows north).
  const turn = -orient2d(a[0], a[1], b[0], b[1], place[0], place[1]);
  return Math.abs(turn) <= slack ? 0 : Math.sign(turn);
}

function isNearlySame(a: Position, b: Position): boolean {
  return [0, 1].every(
    (axis) =>
      Math.abs((a[axis] ?? 0) - (b[axis] ?? 0)) <=
      ROUNDING * Math.max(Math.abs(a[axis] ?? 0), Math.abs(b[axis] ?? 0)),
  );
}

/** @param winding 1: counter-clockwise, −1: clockwise */
function listOutlineEdges(ring: Ring, winding: 1 | -1): readonly OutlineEdge[] {
  const vertices = ring.filter(([x, y], i) => {
    const next = ring[i + 1];
    return next !== undefined && (next[0] !== x || next[1] !== y);
  });
  if (findWinding(vertices) !== winding) vertices.reverse();
  return vertices.map((from, i) => {
    const to = vertices[(i + 1) % vertices.length] ?? from;
    return { from, to, before: vertices.at(i - 1) ?? from, box: computePaddedBox([from, to]) };
  });
}

/** Uses the turn at the westernmost (then southernmost) vertex, a corner of the ring's convex hull. */
function findWinding(vertices: readonly Position[]): number {
  const corner = vertices.reduce<Position>(
    (least, at) => (at[0] < least[0] || (at[0] === least[0] && at[1] < least[1]) ? at : least),
    [Number.POSITIVE_INFINITY, 0],
  );
  const i = vertices.indexOf(corner);
  const [before, after] = [vertices.at(i - 1), vertices[(i + 1) % vertices.length]];
  if (before === undefined || after === undefined) return 0;
  return -Math.sign(orient2d(before[0], before[1], corner[0], corner[1], after[0], after[1]));
}

function computePaddedBox(positions: readonly Position[] | Ring): Box {
  let [west, south] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [east, north] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [x, y] of positions) {
    west = Math.min(west, x);
    south = Math.min(south, y);
    east = Math.max(east, x);
    north = Math.max(north, y);
  }
  const x = ROUNDING * Math.max(Math.abs(west), Math.abs(east));
  const y = ROUNDING * Math.max(Math.abs(south), Math.abs(north));
  return { west: west - x, south: south - y, east: east + x, north: north + y };
}

type Side = 'inside' | 'outside' | 'boundary';

/** Exact: counts the edges that a ray to the east crosses (edges are half-open in y). */
function findSideOfRing(point: Position, ring: Ring): Side {
  const [x, y] = point;
  let inside = false;
  for (let i = 1; i < ring.length; i += 1) {
    const a = ring[i - 1];
    const b = ring[i];
    if (a === undefined || b === undefined) continue;
    if (Math.min(a[1], b[1]) > y || Math.max(a[1], b[1]) < y) continue;
    const turn = orient2d(a[0], a[1], b[0], b[1], x, y);
    if (turn === 0 && x >= Math.min(a[0], b[0]) && x <= Math.max(a[0], b[0])) return 'boundary';
    if (a[1] > y === b[1] > y) continue;
    // orient2d is negative where the point is left of the edge (y grows north).
    const eastwards = b[1] > a[1] ? turn < 0 : turn > 0;
    if (eastwards) inside = !inside;
  }
  return inside ? 'inside' : 'outside';
}

/** Whether the point lies in the polygon or on one of its edges. */
export function isInPolygon(point: Position, [shell = [], ...holes]: PolygonRings): boolean {
  if (findSideOfRing(point, shell) === 'outside') return false;
  return !holes.some((hole) => findSideOfRing(point, hole) === 'inside');
}
