import type { Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';

/**
 * The cells of `window` whose centre lies in the polygon: 1 inside, 0 outside, row-major.
 *
 * An edge-flag fill (Ackland and Weste, IEEE Trans. Comput. C-30, 1981). In each row whose line of centres it
 * crosses, an edge flips the first cell whose centre is not west of the crossing; a running parity along the row then
 * fills. An edge includes its northern end and excludes its southern one, and a centre on a crossing counts as east
 * of it. So the polygons on both sides of a shared edge share no cell and miss none, and the result for a cell does
 * not depend on the window.
 */
export function rasterise(projected: ProjectedPolygon, window: Window): Uint8Array {
  const inside = new Uint8Array(window.width * window.height);
  for (const ring of projected.rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) flipCrossings(ring, i, window, inside);
  }
  for (let start = 0; start < inside.length; start += window.width) {
    let parity = 0;
    for (let i = start; i < start + window.width; i += 1) {
      parity ^= inside[i] ?? 0;
      inside[i] = parity;
    }
  }
  return inside;
}

/**
 * The cells whose centre lies in the polygon, and every cell that an edge of `touching` meets. For a
 * polygon that covers no centre these are all the cells it touches: a cell that no edge meets is
 * either outside or inside with its centre.
 */
export function rasteriseTouched(
  projected: ProjectedPolygon,
  window: Window,
  touching: ProjectedPolygon = projected,
): Uint8Array {
  const touched = rasterise(projected, window);
  for (const ring of touching.rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) markEdge(ring, i, window, touched);
  }
  return touched;
}

function flipCrossings(ring: Float64Array, i: number, window: Window, inside: Uint8Array): void {
  const [x0, y0, x1, y1] = orderNorthFirst(ring, i);
  const first = Math.max(Math.ceil(y0 - 0.5), window.row);
  const end = Math.min(Math.ceil(y1 - 0.5), window.row + window.height);
  if (first >= end) return;
  const slope = (x1 - x0) / (y1 - y0);
  for (let row = first; row < end; row += 1) {
    const x = x0 + (row + 0.5 - y0) * slope;
    const col = Math.max(Math.ceil(x - 0.5) - window.col, 0);
    if (col >= window.width) continue;
    const cell = (row - window.row) * window.width + col;
    inside[cell] = (inside[cell] ?? 0) ^ 1;
  }
}

function markEdge(ring: Float64Array, i: number, window: Window, touched: Uint8Array): void {
  const edge = toSlopedEdge(ring, i);
  const first = Math.max(Math.floor(edge.y0), window.row);
  const last = Math.min(Math.floor(edge.y1), window.row + window.height - 1);
  for (let row = first; row <= last; row += 1) {
    const enters = findEntryColumn(edge, row);
    const leaves = findExitColumn(edge, row);
    const west = Math.max(Math.floor(Math.min(enters, leaves)) - window.col, 0);
    const east = Math.min(Math.floor(Math.max(enters, leaves)) - window.col, window.width - 1);
    const start = (row - window.row) * window.width;
    if (west <= east) touched.fill(1, start + west, start + east + 1);
  }
}

/** An edge directed from its northern end, in cells of the grid. */
export interface SlopedEdge {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  /** Columns per row; 0 for a horizontal edge. */
  readonly slope: number;
}

export function toSlopedEdge(ring: Float64Array, i: number): SlopedEdge {
  const [x0, y0, x1, y1] = orderNorthFirst(ring, i);
  return { x0, y0, x1, y1, slope: y1 > y0 ? (x1 - x0) / (y1 - y0) : 0 };
}

export function findEntryColumn({ x0, y0, slope }: SlopedEdge, row: number): number {
  return row <= y0 ? x0 : x0 + (row - y0) * slope;
}

export function findExitColumn({ x0, y0, x1, y1, slope }: SlopedEdge, row: number): number {
  return row + 1 >= y1 ? x1 : x0 + (row + 1 - y0) * slope;
}

/** The edge at index `i`, the same for both directions of the ring. */
export function orderNorthFirst(
  ring: Float64Array,
  i: number,
): readonly [number, number, number, number] {
  const x0 = ring[i] ?? 0;
  const y0 = ring[i + 1] ?? 0;
  const x1 = ring[i + 2] ?? 0;
  const y1 = ring[i + 3] ?? 0;
  return y0 < y1 || (y0 === y1 && x0 <= x1) ? [x0, y0, x1, y1] : [x1, y1, x0, y0];
}
