import { orient2d } from 'robust-predicates';
import type { Position, Ring } from './polygon.ts';

/** Limit of compared pairs per edge: with more, the sweep is faster. */
const PAIRS_PER_EDGE = 16;

/** Up to this many edges, comparing all pairs is faster than sorting. */
const FEW_EDGES = 32;

interface Edge {
  readonly place: number;
  readonly from: Position;
  readonly to: Position;
  readonly west: number;
  readonly east: number;
}

/**
 * A fast test that a ring does not meet itself. `false` is inconclusive: the ring may be invalid,
 * repeat a position or have too many pairs of edges to compare.
 */
export function isPlainlySimple(ring: Ring): boolean {
  const edges = listRingEdges(ring);
  if (
    edges.length < 3 ||
    !edges.every((edge, i) => isContinuation(edge, edges[i + 1] ?? edges[0]))
  ) {
    return false;
  }
  const areFew = edges.length <= FEW_EDGES;
  const inOrder = areFew ? edges : edges.toSorted((a, b) => a.west - b.west);
  if (!areFew && countPairs(inOrder) > PAIRS_PER_EDGE * edges.length) return false;
  for (const [i, edge] of inOrder.entries()) {
    for (let j = i + 1; j < inOrder.length; j += 1) {
      const other = inOrder[j];
      if (other === undefined || (!areFew && other.west > edge.east)) break;
      if (!areNeighbours(edge, other, edges.length) && mayEdgesMeet(edge, other)) return false;
    }
  }
  return true;
}

/** The number of pairs of edges that share a longitude, counted without visiting each pair. */
function countPairs(fromWest: readonly Edge[]): number {
  let pairs = 0;
  for (const [i, { east }] of fromWest.entries()) {
    let [from, to] = [i + 1, fromWest.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((fromWest[middle]?.west ?? east) > east) to = middle;
      else from = middle + 1;
    }
    pairs += from - i - 1;
  }
  return pairs;
}

function listRingEdges(ring: Ring): readonly Edge[] {
  const edges: Edge[] = [];
  let from = ring[0];
  for (let place = 0; place < ring.length - 1; place += 1) {
    const to = ring[place + 1];
    if (from === undefined || to === undefined) break;
    const west = Math.min(from[0], to[0]);
    const east = Math.max(from[0], to[0]);
    edges.push({ place, from, to, west, east });
    from = to;
  }
  return edges;
}

/** Whether the next edge meets this one only at their common vertex. */
function isContinuation({ from, to }: Edge, next: Edge | undefined): boolean {
  if (next === undefined) return false;
  if (findTurn(from, to, next.to) !== 0) return true;
  const heading = compareDirection(from, to);
  return heading !== 0 && heading === compareDirection(to, next.to);
}

function areNeighbours(a: Edge, b: Edge, edges: number): boolean {
  const distance = Math.abs(a.place - b.place);
  return distance === 1 || distance === edges - 1;
}

function mayEdgesMeet(a: Edge, b: Edge): boolean {
  if (a.east < b.west || b.east < a.west) return false;
  if (Math.max(a.from[1], a.to[1]) < Math.min(b.from[1], b.to[1])) return false;
  if (Math.min(a.from[1], a.to[1]) > Math.max(b.from[1], b.to[1])) return false;
  if (findTurn(a.from, a.to, b.from) * findTurn(a.from, a.to, b.to) > 0) return false;
  return findTurn(b.from, b.to, a.from) * findTurn(b.from, b.to, a.to) <= 0;
}

/** −1, 0 or 1; exact (Shewchuk's adaptive predicates, 1997). */
function findTurn(from: Position, to: Position, point: Position): number {
  return Math.sign(orient2d(from[0], from[1], to[0], to[1], point[0], point[1]));
}

/** −1 where `b` lies west of `a`, or due south of it; 0 where they are equal; otherwise 1. */
function compareDirection(a: Position, b: Position): number {
  return Math.sign(b[0] - a[0] || b[1] - a[1]);
}
