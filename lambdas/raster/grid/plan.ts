import type { MultiPolygonRings } from '../../geometry/polygon.ts';
import { blockSizes, type Pace } from './block-size.ts';
import { countByBlock } from './count-cells.ts';
import type { Grid, Window } from './grid.ts';
import { type ProjectedParts, type ProjectedPolygon, partsOf, projectPolygon } from './project.ts';
import { rasteriseTouched } from './rasterise.ts';
import { partsByCells } from './touched-parts.ts';
import { blocksOf, leavesGrid, windowOf } from './window.ts';

/** Which cells belong to a polygon. */
export interface CellRule {
  /** By cell centres; or, for a polygon that covers no centre, every cell it touches. */
  readonly rule: 'centre' | 'touched';
  /**
   * By the rule `centre`, the parts of the polygon that cover no centre while others do: they take
   * every cell they touch. Polygons of the MultiPolygon, counted from 0, in ascending order.
   */
  readonly touchedParts: readonly number[];
}

/** Cells of the grid (not of the window), with how many of them belong to the polygon. */
export interface PlannedBlock extends Window {
  /** Dense from 0, row by row; blocks without a cell are skipped and have none. */
  readonly idx: number;
  readonly pointCount: number;
}

/** A message names so many parts; a polygon may have thousands. */
const PARTS_NAMED = 20;

export interface PlanWarning {
  readonly code: 'smaller_than_cell' | 'partly_outside_grid';
  readonly message: string;
}

export interface CellPlan extends CellRule {
  /** The output raster's extent. */
  readonly window: Window;
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
  const { withCentre, touching } = partsByCells(projected, window, grid);
  const rule: CellRule =
    withCentre === 0
      ? { rule: 'touched', touchedParts: [] }
      : { rule: 'centre', touchedParts: touching };
  const blocks = cutInBlocks(projected, window, grid, edge, rule);
  if (blocks.pointCount === 0) return null;

  const warnings: PlanWarning[] = [];
  if (leavesGrid(projected, grid) || new Set(projected.partOfRing).size < polygon.length) {
    warnings.push({
      code: 'partly_outside_grid',
      message: "Part of the polygon lies outside the model's grid; the raster holds the rest.",
    });
  }
  if (withCentre === 0 || touching.length > 0) {
    warnings.push(smallerThanCell(rule, blocks.pointCount, grid));
  }
  return { window, ...rule, ...blocks, warnings };
}

function smallerThanCell({ rule, touchedParts }: CellRule, cells: number, grid: Grid): PlanWarning {
  const cell = `${grid.cell_size} × ${grid.cell_size} cell (${grid.crs.name})`;
  if (rule === 'touched') {
    const message = `The polygon covers no centre of a ${cell}; it is given the ${cells} it touches.`;
    return { code: 'smaller_than_cell', message };
  }
  const named = touchedParts.slice(0, PARTS_NAMED).join(', ');
  const more = touchedParts.length - PARTS_NAMED;
  const parts = touchedParts.length === 1 ? `Part ${named}` : `Parts ${named}`;
  const others = more > 0 ? ` and ${more} more` : '';
  const [cover, each] = touchedParts.length === 1 ? ['covers', 'it is'] : ['cover', 'each is'];
  return {
    code: 'smaller_than_cell',
    message: `${parts}${others} of the MultiPolygon (counted from 0) ${cover} no centre of a ${cell}; ${each} given every cell it touches.`,
  };
}

type Blocks = Pick<CellPlan, 'blockTiles' | 'blocks' | 'pointCount'>;

function cutInBlocks(
  projected: ProjectedParts,
  window: Window,
  grid: Grid,
  edge: BlockEdge,
  rule: CellRule,
): Blocks {
  const touching = touchingRings(projected, rule);
  const cut = (blockTiles: number): Blocks => {
    const blocks = countBlocks(projected, touching, window, grid, blockTiles);
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
export function cellMask(projected: ProjectedParts, window: Window, rule: CellRule): Uint8Array {
  return rasteriseTouched(projected, window, touchingRings(projected, rule));
}

/** The rings whose edges take every cell they meet. */
function touchingRings(projected: ProjectedParts, rule: CellRule): ProjectedPolygon {
  if (rule.rule === 'touched') return projected;
  return partsOf(projected, new Set(rule.touchedParts));
}

function countBlocks(
  projected: ProjectedPolygon,
  touching: ProjectedPolygon,
  window: Window,
  grid: Grid,
  blockTiles: number,
): PlannedBlock[] {
  const counts = countByBlock(projected, window, grid.tile_size * blockTiles, touching);
  const blocks: PlannedBlock[] = [];
  for (const [i, area] of blocksOf(window, grid, blockTiles).entries()) {
    const pointCount = counts[i] ?? 0;
    if (pointCount > 0) blocks.push({ idx: blocks.length, ...area, pointCount });
  }
  return blocks;
}
