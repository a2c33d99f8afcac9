import { orient2d } from 'robust-predicates';
import type { MultiPolygonRings, Position, Ring } from './polygon.ts';

/** Between two different positions: repeated positions do not form an edge. */
export interface Edge {
  /** Index over all rings of the geometry. */
  readonly ring: number;
  readonly polygon: number;
  /** Index among the edges of its ring. */
  readonly place: number;
  readonly ringEdges: number;
  /** Vertex indices in the ring of the request. */
  readonly fromVertex: number;
  readonly toVertex: number;
  readonly from: Position;
  readonly to: Position;
}

export function listEdges(polygons: MultiPolygonRings): Edge[] {
  const edges: Edge[] = [];
  let ring = 0;
  for (const [polygon, rings] of polygons.entries()) {
    for (const positions of rings) {
      addRing(edges, positions, ring, polygon);
      ring += 1;
    }
  }
  return edges;
}

function addRing(edges: Edge[], positions: Ring, ring: number, polygon: number): void {
  const ringEdges = countDistinctSteps(positions);
  let from = positions[0];
  let fromVertex = 0;
  let place = 0;
  for (let toVertex = 1; toVertex < positions.length; toVertex += 1) {
    const to = positions[toVertex];
    if (from === undefined || to === undefined || isSamePosition(from, to)) continue;
    edges.push({ ring, polygon, place, ringEdges, fromVertex, toVertex, from, to });
    from = to;
    fromVertex = toVertex;
    place += 1;
  }
}

function countDistinctSteps(positions: Ring): number {
  let steps = 0;
  let from = positions[0];
  for (const to of positions) {
    if (from !== undefined && !isSamePosition(from, to)) steps += 1;
    from = to;
  }
  return steps;
}

function isSamePosition(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** `touch`: the segments share a single point, which is an end of at least one of them. */
export type Meeting =
  | { readonly kind: 'apart' }
  | { readonly kind: 'touch' | 'cross' | 'overlap'; readonly point: Position };

const APART: Meeting = { kind: 'apart' };

/** Exact except for rounding of the crossing point: uses Shewchuk's adaptive predicates (1997). */
export function findMeeting(a: Edge, b: Edge): Meeting {
  const b0 = sideOfEdge(a, b.from);
  const b1 = sideOfEdge(a, b.to);
  if (b0 * b1 > 0) return APART;
  const a0 = sideOfEdge(b, a.from);
  const a1 = sideOfEdge(b, a.to);
  if (a0 * a1 > 0) return APART;
  if (b0 === 0 && b1 === 0) return findMeetingOnOneLine(a, b);
  if (b0 === 0) return { kind: 'touch', point: b.from };
  if (b1 === 0) return { kind: 'touch', point: b.to };
  if (a0 === 0) return { kind: 'touch', point: a.from };
  if (a1 === 0) return { kind: 'touch', point: a.to };
  return { kind: 'cross', point: computeCrossing(a, b) };
}

function findMeetingOnOneLine(a: Edge, b: Edge): Meeting {
  const [a0, a1] = orderEnds(a);
  const [b0, b1] = orderEnds(b);
  const start = comparePositions(a0, b0) > 0 ? a0 : b0;
  const end = comparePositions(a1, b1) < 0 ? a1 : b1;
  const order = comparePositions(start, end);
  if (order > 0) return APART;
  return { kind: order === 0 ? 'touch' : 'overlap', point: start };
}

function sideOfEdge(edge: Edge, point: Position): number {
  return Math.sign(
    orient2d(edge.from[0], edge.from[1], edge.to[0], edge.to[1], point[0], point[1]),
  );
}

function orderEnds(edge: Edge): readonly [Position, Position] {
  return comparePositions(edge.from, edge.to) <= 0 ? [edge.from, edge.to] : [edge.to, edge.from];
}

export function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || a[1] - b[1];
}

function computeCrossing(a: Edge, b: Edge): Position {
  const ax = a.to[0] - a.from[0];
  const ay = a.to[1] - a.from[1];
  const bx = b.to[0] - b.from[0];
  const by = b.to[1] - b.from[1];
  const t = ((b.from[0] - a.from[0]) * by - (b.from[1] - a.from[1]) * bx) / (ax * by - ay * bx);
  // For nearly parallel edges the division may overflow; an end of the edge is then close enough.
  const safe = Number.isFinite(t) ? Math.min(Math.max(t, 0), 1) : 0;
  return [a.from[0] + safe * ax, a.from[1] + safe * ay];
}
