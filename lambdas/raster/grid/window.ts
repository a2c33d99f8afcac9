import type { Grid, Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';

/** The cells a polygon's bounding box touches, clipped to the grid; null where they do not overlap. */
export function windowOf(projected: ProjectedPolygon, grid: Grid): Window | null {
  const box = boundsOf(projected);
  if (box === null) return null;
  const col = Math.max(Math.floor(box.minCol), 0);
  const row = Math.max(Math.floor(box.minRow), 0);
  const endCol = Math.min(Math.max(Math.ceil(box.maxCol), Math.floor(box.minCol) + 1), grid.width);
  const endRow = Math.min(Math.max(Math.ceil(box.maxRow), Math.floor(box.minRow) + 1), grid.height);
  if (endCol <= col || endRow <= row) return null;
  return { col, row, width: endCol - col, height: endRow - row };
}

/** Whether a part of the polygon lies outside the grid. */
export function leavesGrid(projected: ProjectedPolygon, grid: Grid): boolean {
  const box = boundsOf(projected);
  if (box === null) return true;
  return box.minCol < 0 || box.minRow < 0 || box.maxCol > grid.width || box.maxRow > grid.height;
}

interface Bounds {
  readonly minCol: number;
  readonly minRow: number;
  readonly maxCol: number;
  readonly maxRow: number;
}

function boundsOf({ rings }: ProjectedPolygon): Bounds | null {
  let [minCol, minRow, maxCol, maxRow] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    for (let i = 0; i + 1 < ring.length; i += 2) {
      const col = ring[i] ?? 0;
      const row = ring[i + 1] ?? 0;
      if (col < minCol) minCol = col;
      if (col > maxCol) maxCol = col;
      if (row < minRow) minRow = row;
      if (row > maxRow) maxRow = row;
    }
  }
  return minCol <= maxCol ? { minCol, minRow, maxCol, maxRow } : null;
}

/**
 * The window cut into blocks of whole tiles, row by row. Tiles start at the window's own corner:
 * it is the output's, and its tiles and overviews are counted from there.
 */
export function blocksOf(window: Window, grid: Grid, blockTiles = grid.block_tiles): Window[] {
  const edge = grid.tile_size * blockTiles;
  const blocks: Window[] = [];
  for (let down = 0; down < window.height; down += edge) {
    for (let across = 0; across < window.width; across += edge) {
      blocks.push({
        col: window.col + across,
        row: window.row + down,
        width: Math.min(edge, window.width - across),
        height: Math.min(edge, window.height - down),
      });
    }
  }
  return blocks;
}
