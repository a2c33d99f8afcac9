import type { Window } from './grid.ts';
import type { ProjectedParts } from './project.ts';

export interface AreaMemory {
  readonly sums: Float64Array;
  readonly areas: Float64Array;
}

export function createAreaMemory({ width, height }: Pick<Window, 'width' | 'height'>): AreaMemory {
  return {
    sums: new Float64Array((width + 1) * height),
    areas: new Float64Array(width * height),
  };
}

/**
 * The exact area of polygon ∩ cell for every cell of the window, as a share of the cell; row-major.
 *
 * Green's theorem, cell by cell: an edge adds the area between itself and the eastern end of its rows,
 * northward edges negatively. Each edge changes only the cells it crosses and the next one east; a
 * running sum along the row does the rest (the accumulation buffer of font rasterisers). Shells count
 * positively and holes negatively, whichever way they were drawn.
 */
export function computeCellAreas(
  projected: ProjectedParts,
  window: Window,
  memory: AreaMemory = createAreaMemory(window),
): Float64Array {
  const stride = window.width + 1;
  const sums = memory.sums.subarray(0, stride * window.height).fill(0);
  for (const [i, ring] of projected.rings.entries()) {
    const sign = findOrientation(ring) * (projected.isHole[i] ? -1 : 1);
    if (sign !== 0) addRing(ring, sign, window, sums);
  }
  const areas = memory.areas.subarray(0, window.width * window.height);
  for (let row = 0; row < window.height; row += 1) {
    let area = 0;
    for (let col = 0; col < window.width; col += 1) {
      area += sums[row * stride + col] ?? 0;
      areas[row * window.width + col] = Math.min(Math.max(area, 0), 1);
    }
  }
  return areas;
}

/** The sign that makes a ring's area positive in {@link computeCellAreas}; 0 for a ring without area. */
function findOrientation(ring: Float64Array): number {
  let doubled = 0;
  const [x, y] = [ring[0] ?? 0, ring[1] ?? 0];
  for (let i = 0; i + 3 < ring.length; i += 2) {
    // Relative to the first corner: far from the origin the products would lose the area's digits.
    const [x0, y0] = [(ring[i] ?? 0) - x, (ring[i + 1] ?? 0) - y];
    const [x1, y1] = [(ring[i + 2] ?? 0) - x, (ring[i + 3] ?? 0) - y];
    doubled += x0 * y1 - x1 * y0;
  }
  return -Math.sign(doubled);
}

function addRing(ring: Float64Array, sign: number, window: Window, sums: Float64Array): void {
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const x0 = (ring[i] ?? 0) - window.col;
    const y0 = (ring[i + 1] ?? 0) - window.row;
    const x1 = (ring[i + 2] ?? 0) - window.col;
    const y1 = (ring[i + 3] ?? 0) - window.row;
    if (y0 < y1) addEdge(x0, y0, x1, y1, sign, window, sums);
    else if (y1 < y0) addEdge(x1, y1, x0, y0, -sign, window, sums);
  }
}

/** Adds an edge, given from north to south in cells of the window, row by row. */
function addEdge(
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  sign: number,
  { width, height }: Window,
  sums: Float64Array,
): void {
  if (y1 <= 0 || y0 >= height) return;
  const slope = (x1 - x0) / (y1 - y0);
  const last = Math.min(Math.ceil(y1), height);
  for (let row = Math.max(Math.floor(y0), 0); row < last; row += 1) {
    const top = Math.max(y0, row);
    const bottom = Math.min(y1, row + 1);
    if (bottom <= top) continue;
    const enters = top === y0 ? x0 : x0 + (top - y0) * slope;
    const leaves = bottom === y1 ? x1 : x0 + (bottom - y0) * slope;
    addInRow(enters, leaves, sign * (bottom - top), row * (width + 1), width, sums);
  }
}

/**
 * Adds the part of an edge within one row.
 * @param height the part's signed height
 * @param start where the row begins in `sums`
 */
function addInRow(
  from: number,
  to: number,
  height: number,
  start: number,
  width: number,
  sums: Float64Array,
): void {
  const [west, east] = from < to ? [from, to] : [to, from];
  if (east <= 0) {
    // This part of the edge lies west of the window, so the whole row lies east of it.
    sums[start] = (sums[start] ?? 0) + height;
    return;
  }
  if (west >= width) return;
  const across = east - west;
  if (west < 0) sums[start] = (sums[start] ?? 0) - (west / across) * height;
  const end = Math.min(east, width);
  let x = Math.max(west, 0);
  let col = Math.floor(x);
  do {
    const next = Math.min(col + 1, end);
    const part = across > 0 ? ((next - x) / across) * height : height;
    // The part's mean distance from the cell's western side is the share of the cell west of it.
    const share = part * ((x + next) / 2 - col);
    sums[start + col] = (sums[start + col] ?? 0) + part - share;
    sums[start + col + 1] = (sums[start + col + 1] ?? 0) + share;
    x = next;
    col += 1;
  } while (x < end);
}
