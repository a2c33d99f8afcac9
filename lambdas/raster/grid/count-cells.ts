import type { Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';
import { northFirst } from './rasterise.ts';

/** Rows counted together: their crossings are held at a time. */
const ROWS = 64;

/** Where a row is crossed more often than once in so many cells, going through them beats a sort. */
const CELLS_A_CROSSING = 32;

/**
 * How many cells of each block have their centre in the polygon, without a mask of any block: by the
 * spans between the crossings of each row, as `rasterise` defines them. The window is cut into
 * squares of `edge` cells, row by row.
 */
export function countByBlock(
  projected: ProjectedPolygon,
  window: Window,
  edge: number,
): Float64Array {
  const across = Math.ceil(window.width / edge);
  const counts = new Float64Array(across * Math.ceil(window.height / edge));
  const countRow = rowCounter(window.width, edge);
  for (const { row, crossings } of rowsOf(projected, window)) {
    const first = Math.floor(row / edge) * across;
    countRow(crossings, counts.subarray(first, first + across));
  }
  return counts;
}

/** Adds a row's cells to the counts of its blocks; sorts what it is given. */
function rowCounter(width: number, edge: number) {
  const flips = new Uint8Array(width);
  return (crossings: Int32Array, blocks: Float64Array): void => {
    if (crossings.length * CELLS_A_CROSSING <= width) {
      crossings.sort();
      for (let i = 0; i < crossings.length; i += 2) {
        addSpan(blocks, edge, crossings[i] ?? 0, crossings[i + 1] ?? width);
      }
      return;
    }
    for (const col of crossings) flips[col] = (flips[col] ?? 0) ^ 1;
    let parity = 0;
    for (let block = 0; block < blocks.length; block += 1) {
      const end = Math.min((block + 1) * edge, width);
      let cells = 0;
      for (let col = block * edge; col < end; col += 1) {
        parity ^= flips[col] ?? 0;
        cells += parity;
      }
      blocks[block] = (blocks[block] ?? 0) + cells;
    }
    flips.fill(0);
  };
}

function addSpan(blocks: Float64Array, edge: number, from: number, end: number): void {
  for (let block = Math.floor(from / edge); block * edge < end; block += 1) {
    const cells = Math.min(end, (block + 1) * edge) - Math.max(from, block * edge);
    blocks[block] = (blocks[block] ?? 0) + cells;
  }
}

interface CrossedRow {
  /** Counted from the window's first. */
  readonly row: number;
  /** The first cell east of each crossing, unsorted; a crossing east of the last cell is left out. */
  readonly crossings: Int32Array;
}

/** The window's rows that edges cross, northern first; the edges are swept along with them. */
function* rowsOf(projected: ProjectedPolygon, window: Window): Generator<CrossedRow> {
  const edges = edgesAcross(projected, window);
  let active: Edge[] = [];
  let next = 0;
  for (let top = 0; top < window.height; top += ROWS) {
    const bottom = Math.min(top + ROWS, window.height);
    active = active.filter(({ end }) => end > top);
    for (let edge = edges[next]; edge !== undefined && edge.first < bottom; edge = edges[next]) {
      active.push(edge);
      next += 1;
    }
    if (active.length > 0) yield* rowsBetween(top, bottom, active, window);
  }
}

/** An edge that crosses rows of centres: from `first` up to `end`, counted from the window's first. */
interface Edge {
  readonly first: number;
  readonly end: number;
  /** Its northern end, in cells of the grid. */
  readonly x: number;
  readonly y: number;
  readonly slope: number;
}

/** Northern first. */
function edgesAcross({ rings }: ProjectedPolygon, window: Window): readonly Edge[] {
  const edges: Edge[] = [];
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [x, y, x1, y1] = northFirst(ring, i);
      const first = Math.max(Math.ceil(y - 0.5) - window.row, 0);
      const end = Math.min(Math.ceil(y1 - 0.5) - window.row, window.height);
      if (first < end) edges.push({ first, end, x, y, slope: (x1 - x) / (y1 - y) });
    }
  }
  return edges.sort((a, b) => a.first - b.first);
}

function* rowsBetween(
  top: number,
  bottom: number,
  edges: readonly Edge[],
  window: Window,
): Generator<CrossedRow> {
  const starts = new Int32Array(bottom - top + 1);
  for (const { first, end } of edges) {
    for (let row = Math.max(first, top) - top; row < Math.min(end, bottom) - top; row += 1) {
      starts[row + 1] = (starts[row + 1] ?? 0) + 1;
    }
  }
  for (let row = 1; row < starts.length; row += 1) {
    starts[row] = (starts[row] ?? 0) + (starts[row - 1] ?? 0);
  }
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
  for (let row = top; row < bottom; row += 1) {
    yield { row, crossings: columns.subarray(starts[row - top], ends[row - top]) };
  }
}
