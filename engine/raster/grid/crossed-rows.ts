import type { Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';
import {
  findEntryColumn,
  findExitColumn,
  orderNorthFirst,
  type SlopedEdge,
  toSlopedEdge,
} from './rasterise.ts';

/** Rows per step of the sweep. */
const ROWS = 64;

export interface CrossedRow {
  /** Counted from the window's first row. */
  readonly row: number;
  /** For each crossing, the first column whose centre is not west of it, unsorted. Omits columns east of the window. */
  readonly crossings: Int32Array;
  /** Pairs of first column and end column (exclusive) of the spans that an edge touches, unsorted. */
  readonly touched: Int32Array;
}

/**
 * Yields, from north to south, the window's rows in which edges of `projected` cross the line of
 * centres or edges of `touching` meet a cell. May also yield rows with neither.
 */
export function* walkCrossedRows(
  projected: ProjectedPolygon,
  touching: ProjectedPolygon,
  window: Window,
): Generator<CrossedRow> {
  const crossingIn = createRowSweep(listCrossingEdges(projected, window));
  const touchingIn = createRowSweep(listTouchingEdges(touching, window));
  for (let top = 0; top < window.height; top += ROWS) {
    const bottom = Math.min(top + ROWS, window.height);
    const crossing = crossingIn(top, bottom);
    const meeting = touchingIn(top, bottom);
    if (crossing.length === 0 && meeting.length === 0) continue;
    const crossings = listCrossedColumns(crossing, top, bottom, window);
    const touched = listTouchedColumns(meeting, top, bottom, window);
    for (let row = top; row < bottom; row += 1) {
      yield { row, crossings: crossings(row), touched: touched(row) };
    }
  }
}

/** Rows of the window that an edge meets, or whose line of centres it crosses: from `first` to `end`, exclusive. */
interface RowRange {
  readonly first: number;
  readonly end: number;
}

interface CrossingEdge extends RowRange {
  /** Northern end, in cells of the grid. */
  readonly x: number;
  readonly y: number;
  readonly slope: number;
}

type TouchingEdge = SlopedEdge & RowRange;

function listCrossingEdges({ rings }: ProjectedPolygon, window: Window): CrossingEdge[] {
  const edges: CrossingEdge[] = [];
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [x, y, x1, y1] = orderNorthFirst(ring, i);
      const first = Math.max(Math.ceil(y - 0.5) - window.row, 0);
      const end = Math.min(Math.ceil(y1 - 0.5) - window.row, window.height);
      if (first < end) edges.push({ first, end, x, y, slope: (x1 - x) / (y1 - y) });
    }
  }
  return edges;
}

function listTouchingEdges({ rings }: ProjectedPolygon, window: Window): TouchingEdge[] {
  const edges: TouchingEdge[] = [];
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const edge = toSlopedEdge(ring, i);
      const first = Math.max(Math.floor(edge.y0) - window.row, 0);
      const end = Math.min(Math.floor(edge.y1) + 1 - window.row, window.height);
      if (first < end) edges.push({ ...edge, first, end });
    }
  }
  return edges;
}

/** Call the returned function from north to south. */
function createRowSweep<T extends RowRange>(
  edges: T[],
): (top: number, bottom: number) => readonly T[] {
  edges.sort((a, b) => a.first - b.first);
  let active: T[] = [];
  let next = 0;
  return (top, bottom) => {
    if (active.length > 0) active = active.filter(({ end }) => end > top);
    for (let edge = edges[next]; edge !== undefined && edge.first < bottom; edge = edges[next]) {
      active.push(edge);
      next += 1;
    }
    return active;
  };
}

type Columns = (row: number) => Int32Array;

function listCrossedColumns(
  edges: readonly CrossingEdge[],
  top: number,
  bottom: number,
  window: Window,
): Columns {
  const starts = countStarts(edges, top, bottom, 1);
  const columns = new Int32Array(starts.at(-1) ?? 0);
  const ends = starts.slice();
  for (const { first, end, x, y, slope } of edges) {
    for (let row = Math.max(first, top); row < Math.min(end, bottom); row += 1) {
      const crossing = x + (window.row + row + 0.5 - y) * slope;
      const col = Math.max(Math.ceil(crossing - 0.5) - window.col, 0);
      if (col >= window.width) continue;
      const at = ends[row - top] ?? 0;
      columns[at] = col;
      ends[row - top] = at + 1;
    }
  }
  return (row) => columns.subarray(starts[row - top], ends[row - top]);
}

function listTouchedColumns(
  edges: readonly TouchingEdge[],
  top: number,
  bottom: number,
  window: Window,
): Columns {
  const starts = countStarts(edges, top, bottom, 2);
  const columns = new Int32Array(starts.at(-1) ?? 0);
  const ends = starts.slice();
  for (const edge of edges) {
    for (let row = Math.max(edge.first, top); row < Math.min(edge.end, bottom); row += 1) {
      const enters = findEntryColumn(edge, window.row + row);
      const leaves = findExitColumn(edge, window.row + row);
      const west = Math.max(Math.floor(Math.min(enters, leaves)) - window.col, 0);
      const east = Math.floor(Math.max(enters, leaves)) - window.col;
      const end = Math.min(east + 1, window.width);
      if (west >= end) continue;
      const at = ends[row - top] ?? 0;
      columns[at] = west;
      columns[at + 1] = end;
      ends[row - top] = at + 2;
    }
  }
  return (row) => columns.subarray(starts[row - top], ends[row - top]);
}

/** The start of each row's columns in one array, with `perEdge` columns for each edge in the row. */
function countStarts(
  edges: readonly RowRange[],
  top: number,
  bottom: number,
  perEdge: number,
): Int32Array {
  const starts = new Int32Array(bottom - top + 1);
  for (const { first, end } of edges) {
    for (let row = Math.max(first, top) - top; row < Math.min(end, bottom) - top; row += 1) {
      starts[row + 1] = (starts[row + 1] ?? 0) + perEdge;
    }
  }
  for (let row = 1; row < starts.length; row += 1) {
    starts[row] = (starts[row] ?? 0) + (starts[row - 1] ?? 0);
  }
  return starts;
}
