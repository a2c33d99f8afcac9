import type { MultiPolygonRings } from '../geometry/polygon.ts';
import { blockSizes, type Pace } from './block-size.ts';
import { countByBlock } from './count-cells.ts';
import type { Grid, Window } from './grid.ts';
import { type ProjectedPolygon, projectPolygon } from './project.ts';
import { rasterise, rasteriseTouched, uniformParity } from './rasterise.ts';
import { blocksOf, leavesGrid, windowOf } from './window.ts';

/** By cell centres; or, for a polygon that covers no centre, every cell it touches. */
export type CellRule = 'centre' | 'touched';

/** Cells of the grid (not of the window), with how many of them belong to the polygon. */
export interface PlannedBlock extends Window {
  /** Dense from 0, row by row; blocks without a cell are skipped and have none. */
  readonly idx: number;
  readonly pointCount: number;
}

export interface PlanWarning {
  readonly code: 'smaller_than_cell' | 'partly_outside_grid';
  readonly message: string;
}

export interface CellPlan {
  /** The output raster's extent. */
  readonly window: Window;
  readonly rule: CellRule;
  /** Edge of a block in tiles. */
  readonly blockTiles: number;
  readonly blocks: readonly PlannedBlock[];
  /** Cells that belong to the polygon; at least 1. */
  readonly pointCount: number;
  readonly warnings: readonly PlanWarning[];
}

/** Blocks of this edge in tiles, or as large as suits a model's pace. */
export type BlockEdge = { readonly blockTiles: number } | { readonly pace: Pace };

/** The output raster's extent, before a cell is counted; null where polygon and grid do not overlap. */
export function planWindow(polygon: MultiPolygonRings, grid: Grid): Window | null {
  return windowOf(projectPolygon(polygon, grid), grid);
}

/**
 * Which cells of the grid belong to a WGS84 polygon, block by block; null where polygon and grid
 * do not overlap.
 */
export function planCells(
  polygon: MultiPolygonRings,
  grid: Grid,
  edge: BlockEdge = { blockTiles: grid.block_tiles },
): CellPlan | null {
  const projected = projectPolygon(polygon, grid);
  const window = windowOf(projected, grid);
  if (window === null) return null;
  const cut: Cut = (rule) => cutInBlocks(projected, window, grid, edge, rule);
  const warnings: PlanWarning[] = [];
  if (leavesGrid(projected, grid)) {
    warnings.push({
      code: 'partly_outside_grid',
      message: "Part of the polygon lies outside the model's grid; the raster holds the rest.",
    });
  }
  const byCentre = cut('centre');
  if (byCentre.pointCount > 0) return { window, rule: 'centre', ...byCentre, warnings };

  const touched = cut('touched');
  if (touched.pointCount === 0) return null;
  warnings.push({
    code: 'smaller_than_cell',
    message: `The polygon covers no centre of a ${grid.cell_size} × ${grid.cell_size} cell (${grid.crs.name}); it was given the ${touched.pointCount} it touches.`,
  });
  return { window, rule: 'touched', ...touched, warnings };
}

type Blocks = Pick<CellPlan, 'blockTiles' | 'blocks' | 'pointCount'>;
type Cut = (rule: CellRule) => Blocks;

function cutInBlocks(
  projected: ProjectedPolygon,
  window: Window,
  grid: Grid,
  edge: BlockEdge,
  rule: CellRule,
): Blocks {
  const cut = (blockTiles: number): Blocks => {
    const blocks = countBlocks(projected, window, grid, blockTiles, rule);
    return { blockTiles, blocks, pointCount: blocks.reduce((sum, b) => sum + b.pointCount, 0) };
  };
  if ('blockTiles' in edge) return cut(edge.blockTiles);

  // The largest blocks are the cheapest to count, and the count decides how small they should be.
  let best = cut(grid.block_tiles);
  for (const blockTiles of blockSizes(best.pointCount, grid, edge.pace)) {
    if (blockTiles !== best.blockTiles) best = cut(blockTiles);
    if (best.blocks.length <= edge.pace.maxBlocks) break;
  }
  return best;
}

/** 1 for each cell of the window that belongs to the polygon by that rule, row-major. */
export function cellMask(projected: ProjectedPolygon, window: Window, rule: CellRule): Uint8Array {
  return rule === 'centre' ? rasterise(projected, window) : rasteriseTouched(projected, window);
}

function countBlocks(
  projected: ProjectedPolygon,
  window: Window,
  grid: Grid,
  blockTiles: number,
  rule: CellRule,
): PlannedBlock[] {
  const counts =
    rule === 'centre' ? countByBlock(projected, window, grid.tile_size * blockTiles) : null;
  const blocks: PlannedBlock[] = [];
  for (const [i, area] of blocksOf(window, grid, blockTiles).entries()) {
    const pointCount = counts === null ? countTouched(projected, area) : (counts[i] ?? 0);
    if (pointCount > 0) blocks.push({ idx: blocks.length, ...area, pointCount });
  }
  return blocks;
}

function countTouched(projected: ProjectedPolygon, area: Window): number {
  const uniform = uniformParity(projected, area);
  if (uniform !== null) return uniform * area.width * area.height;
  const touched = rasteriseTouched(projected, area);
  let count = 0;
  for (let cell = 0; cell < touched.length; cell += 1) count += touched[cell] ?? 0;
  return count;
}
