import type { MultiPolygonRings } from '../geometry/polygon.ts';
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
  readonly blocks: readonly PlannedBlock[];
  /** Cells that belong to the polygon; at least 1. */
  readonly pointCount: number;
  readonly warnings: readonly PlanWarning[];
}

export interface PlanOptions {
  /** Edge of a block in tiles, in place of the grid's own. */
  readonly blockTiles?: number;
}

/**
 * Which cells of the grid belong to a WGS84 polygon, block by block; null where polygon and grid
 * do not overlap. Holds one block's mask at a time.
 */
export function planCells(
  polygon: MultiPolygonRings,
  grid: Grid,
  { blockTiles = grid.block_tiles }: PlanOptions = {},
): CellPlan | null {
  const projected = projectPolygon(polygon, grid);
  const window = windowOf(projected, grid);
  if (window === null) return null;
  const warnings: PlanWarning[] = [];
  if (leavesGrid(projected, grid)) {
    warnings.push({
      code: 'partly_outside_grid',
      message: "Part of the polygon lies outside the model's grid; the raster holds the rest.",
    });
  }
  const areas = blocksOf(window, grid, blockTiles);
  const byCentre = countBlocks(projected, areas, 'centre');
  if (byCentre.length > 0) return toPlan(window, 'centre', byCentre, warnings);

  const touched = countBlocks(projected, areas, 'touched');
  if (touched.length === 0) return null;
  const plan = toPlan(window, 'touched', touched, warnings);
  warnings.push({
    code: 'smaller_than_cell',
    message: `The polygon covers no centre of a ${grid.cell_size} × ${grid.cell_size} cell (${grid.crs.name}); it was given the ${plan.pointCount} it touches.`,
  });
  return plan;
}

/** 1 for each cell of the window that belongs to the polygon by that rule, row-major. */
export function cellMask(projected: ProjectedPolygon, window: Window, rule: CellRule): Uint8Array {
  return rule === 'centre' ? rasterise(projected, window) : rasteriseTouched(projected, window);
}

function countBlocks(
  projected: ProjectedPolygon,
  areas: readonly Window[],
  rule: CellRule,
): PlannedBlock[] {
  const blocks: PlannedBlock[] = [];
  for (const area of areas) {
    const pointCount = countCells(projected, area, rule);
    if (pointCount > 0) blocks.push({ idx: blocks.length, ...area, pointCount });
  }
  return blocks;
}

function countCells(projected: ProjectedPolygon, area: Window, rule: CellRule): number {
  const uniform = uniformParity(projected, area);
  if (uniform !== null) return uniform * area.width * area.height;
  let count = 0;
  for (const cell of cellMask(projected, area, rule)) count += cell;
  return count;
}

function toPlan(
  window: Window,
  rule: CellRule,
  blocks: readonly PlannedBlock[],
  warnings: readonly PlanWarning[],
): CellPlan {
  const pointCount = blocks.reduce((sum, block) => sum + block.pointCount, 0);
  return { window, rule, blocks, pointCount, warnings };
}
