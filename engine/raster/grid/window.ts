import { columnsAround, type Grid, type Window } from './grid.ts';
import type { ProjectedPolygon } from './project.ts';

/**
 * A box that ends within this many cells of a cell boundary ends on it, so that rounding adds no row or column of
 * nodata.
 */
const SNAP_CELLS = 1e-6;

/**
 * The cells that a polygon's bounding box touches, clipped to the grid; null if the box and the grid do not overlap.
 */
export function findWindow(projected: ProjectedPolygon, grid: Grid): Window | null {
  const box = findBounds(projected);
  if (box === null) return null;
  const west = Math.floor(box.minCol + SNAP_CELLS);
  const north = Math.floor(box.minRow + SNAP_CELLS);
  const east = Math.max(Math.ceil(box.maxCol - SNAP_CELLS), west + 1);
  const south = Math.max(Math.ceil(box.maxRow - SNAP_CELLS), north + 1);
  const col = Math.max(west, 0);
  const row = Math.max(north, 0);
  // On a grid all around the Earth columns may exceed the last, by up to one turn.
  const turn = columnsAround(grid);
  const endCol = Math.min(east, turn === null ? grid.width : col + turn);
  const endRow = Math.min(south, grid.height);
  if (endCol <= col || endRow <= row) return null;
  return { col, row, width: endCol - col, height: endRow - row };
}

export function leavesGrid(projected: ProjectedPolygon, grid: Grid): boolean {
  const box = findBounds(projected);
  if (box === null) return true;
  return (
    box.minCol < -SNAP_CELLS ||
    box.minRow < -SNAP_CELLS ||
    (box.maxCol > grid.width + SNAP_CELLS && columnsAround(grid) === null) ||
    box.maxRow > grid.height + SNAP_CELLS
  );
}

interface Bounds {
  readonly minCol: number;
  readonly minRow: number;
  readonly maxCol: number;
  readonly maxRow: number;
}

function findBounds({ rings }: ProjectedPolygon): Bounds | null {
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
 * Cuts the window into blocks of whole tiles, row by row. Tiles start at the window's corner, which
 * is the output raster's.
 */
export function splitInBlocks(window: Window, grid: Grid, blockTiles = grid.block_tiles): Window[] {
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
