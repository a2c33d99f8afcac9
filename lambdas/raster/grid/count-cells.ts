import type { Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';
import { northFirst, rasterise } from './rasterise.ts';

/** Rows counted together: crossings of so many are held at a time. */
const ROWS = 128;

/** Where a row is crossed more often than once in so many cells, its mask is quicker than a sort. */
const CELLS_A_CROSSING = 32;

/**
 * How many cells of each block have their centre in the polygon, without a mask of any: by the spans
 * between its crossings of each row. The window is cut into squares of `edge` cells, row by row.
 */
export function countByBlock(
  projected: ProjectedPolygon,
  window: Window,
  edge: number,
): Float64Array {
  const across = Math.ceil(window.width / edge);
  const counts = new Float64Array(across * Math.ceil(window.height / edge));
  for (let down = 0; down < window.height; down += ROWS) {
    const height = Math.min(ROWS, window.height - down);
    const rows = { ...window, row: window.row + down, height };
    eachSpan(projected, rows, (row, from, end) => {
      const first = Math.floor((down + row) / edge) * across;
      for (let block = Math.floor(from / edge); block * edge < end; block += 1) {
        const cells = Math.min(end, (block + 1) * edge) - Math.max(from, block * edge);
        counts[first + block] = (counts[first + block] ?? 0) + cells;
      }
    });
  }
  return counts;
}

/** Told row and columns, from and up to, counted from the window's corner. */
type OnSpan = (row: number, from: number, end: number) => void;

function eachSpan(projected: ProjectedPolygon, window: Window, onSpan: OnSpan): void {
  const ends = new Int32Array(window.height + 1);
  forEachCrossing(projected, window, (row) => {
    ends[row + 1] = (ends[row + 1] ?? 0) + 1;
  });
  for (let row = 0; row < window.height; row += 1) {
    ends[row + 1] = (ends[row + 1] ?? 0) + (ends[row] ?? 0);
  }
  const total = ends[window.height] ?? 0;
  if (total * CELLS_A_CROSSING > window.width * window.height) {
    spansOfMask(rasterise(projected, window), window, onSpan);
    return;
  }
  const columns = new Int32Array(total);
  const next = ends.slice();
  forEachCrossing(projected, window, (row, col) => {
    const at = next[row] ?? 0;
    columns[at] = col;
    next[row] = at + 1;
  });
  for (let row = 0; row < window.height; row += 1) {
    const crossed = columns.subarray(ends[row], ends[row + 1]).sort();
    for (let i = 0; i < crossed.length; i += 2) {
      const from = crossed[i] ?? 0;
      const end = crossed[i + 1] ?? window.width;
      if (from < end) onSpan(row, from, end);
    }
  }
}

function spansOfMask(mask: Uint8Array, { width, height }: Window, onSpan: OnSpan): void {
  for (let row = 0; row < height; row += 1) {
    let from = -1;
    for (let col = 0; col < width; col += 1) {
      const inside = mask[row * width + col] === 1;
      if (inside && from < 0) from = col;
      if (!inside && from >= 0) {
        onSpan(row, from, col);
        from = -1;
      }
    }
    if (from >= 0) onSpan(row, from, width);
  }
}

/** Told row and column of a row's first cell east of a crossing, counted from the window's corner. */
type OnCrossing = (row: number, col: number) => void;

/** The crossings that flip cells of a mask: `rasterise`'s own, which has them in place as it is quicker. */
function forEachCrossing(
  { rings }: ProjectedPolygon,
  window: Window,
  onCrossing: OnCrossing,
): void {
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [x0, y0, x1, y1] = northFirst(ring, i);
      const first = Math.max(Math.ceil(y0 - 0.5), window.row);
      const end = Math.min(Math.ceil(y1 - 0.5), window.row + window.height);
      const slope = (x1 - x0) / (y1 - y0);
      for (let row = first; row < end; row += 1) {
        const x = x0 + (row + 0.5 - y0) * slope;
        const col = Math.max(Math.ceil(x - 0.5) - window.col, 0);
        if (col < window.width) onCrossing(row - window.row, col);
      }
    }
  }
}
