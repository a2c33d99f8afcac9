import { type CrossedRow, walkCrossedRows } from './crossed-rows.ts';
import type { Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';

/**
 * If a row has more than one crossing, or end of a touched span, per this many cells, scanning its cells is faster
 * than sorting.
 */
const CELLS_PER_CROSSING = 32;

const NOTHING: ProjectedPolygon = { rings: [] };

/**
 * Counts the cells of each block that belong to the polygon. In each row these are the spans
 * between crossings (as in `rasterise`) and the spans that the edges of `touching` meet (as in
 * `rasteriseTouched`). The blocks are squares with edges of `edge` cells, listed row by row.
 */
export function countByBlock(
  projected: ProjectedPolygon,
  window: Window,
  edge: number,
  touching: ProjectedPolygon = NOTHING,
): Float64Array {
  const across = Math.ceil(window.width / edge);
  const counts = new Float64Array(across * Math.ceil(window.height / edge));
  const countRow = createRowCounter(window.width, edge);
  for (const crossed of walkCrossedRows(projected, touching, window)) {
    const first = Math.floor(crossed.row / edge) * across;
    countRow(crossed, counts.subarray(first, first + across));
  }
  return counts;
}

export function coversCentre(projected: ProjectedPolygon, window: Window): boolean {
  for (const { crossings } of walkCrossedRows(projected, NOTHING, window)) {
    crossings.sort();
    for (let i = 0; i < crossings.length; i += 2) {
      if ((crossings[i] ?? 0) < (crossings[i + 1] ?? window.width)) return true;
    }
  }
  return false;
}

export function touchesCell(projected: ProjectedPolygon, window: Window): boolean {
  for (const { touched } of walkCrossedRows(NOTHING, projected, window)) {
    if (touched.length > 0) return true;
  }
  return false;
}

/**
 * The returned function adds a row's cells to the counts of its blocks, and may sort the crossings
 * in place.
 */
function createRowCounter(width: number, edge: number) {
  const countDense = createDenseRowCounter(width, edge);
  return (row: CrossedRow, blocks: Float64Array): void => {
    const { crossings, touched } = row;
    if ((crossings.length + touched.length) * CELLS_PER_CROSSING > width) countDense(row, blocks);
    else if (touched.length > 0) addJoined(blocks, edge, row, width);
    else {
      crossings.sort();
      for (let i = 0; i < crossings.length; i += 2) {
        addSpan(blocks, edge, crossings[i] ?? 0, crossings[i + 1] ?? width);
      }
    }
  };
}

function createDenseRowCounter(width: number, edge: number) {
  const flips = new Uint8Array(width);
  /** Number of touched spans that begin at a column, minus those that end there. */
  const depths = new Int32Array(width + 1);
  return ({ crossings, touched }: CrossedRow, blocks: Float64Array): void => {
    for (const col of crossings) flips[col] = (flips[col] ?? 0) ^ 1;
    for (let i = 0; i < touched.length; i += 2) {
      const from = touched[i] ?? 0;
      const end = touched[i + 1] ?? width;
      depths[from] = (depths[from] ?? 0) + 1;
      depths[end] = (depths[end] ?? 0) - 1;
    }
    let parity = 0;
    let depth = 0;
    for (let block = 0; block < blocks.length; block += 1) {
      const end = Math.min((block + 1) * edge, width);
      let cells = 0;
      for (let col = block * edge; col < end; col += 1) {
        parity ^= flips[col] ?? 0;
        depth += depths[col] ?? 0;
        cells += depth > 0 ? 1 : parity;
      }
      blocks[block] = (blocks[block] ?? 0) + cells;
    }
    flips.fill(0);
    if (touched.length > 0) depths.fill(0);
  };
}

function addJoined(
  blocks: Float64Array,
  edge: number,
  { crossings, touched }: CrossedRow,
  width: number,
): void {
  const spans: (readonly [from: number, end: number])[] = [];
  for (const ends of [crossings.sort(), touched]) {
    for (let i = 0; i < ends.length; i += 2) spans.push([ends[i] ?? 0, ends[i + 1] ?? width]);
  }
  spans.sort(([a], [b]) => a - b);
  let done = 0;
  for (const [from, end] of spans) {
    if (end > done) addSpan(blocks, edge, Math.max(from, done), end);
    done = Math.max(done, end);
  }
}

function addSpan(blocks: Float64Array, edge: number, from: number, end: number): void {
  for (let block = Math.floor(from / edge); block * edge < end; block += 1) {
    const cells = Math.min(end, (block + 1) * edge) - Math.max(from, block * edge);
    blocks[block] = (blocks[block] ?? 0) + cells;
  }
}
