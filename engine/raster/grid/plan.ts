import type { MultiPolygonRings } from '../../geometry/polygon.ts';
import { chooseBlockEdges, type Pace } from './block-size.ts';
import { countByBlock, coversCentre, touchesCell } from './count-cells.ts';
import type { Grid, Window } from './grid.ts';
import {
  areaInCells,
  type ProjectedParts,
  type ProjectedPolygon,
  projectPolygon,
  selectParts,
} from './project.ts';
import { rasteriseTouched } from './rasterise.ts';
import { findWindow, leavesGrid, splitInBlocks } from './window.ts';

export interface CellRule {
  /**
   * `centre`: the cells whose centre is inside. `touched`: every cell that the polygon touches, if it does not
   * cover any centre.
   */
  readonly rule: 'centre' | 'touched';
  /**
   * The parts that do not cover any centre although other parts do, as ascending indices in the MultiPolygon
   * from 0. With the rule `centre`, every cell that these parts touch belongs to the polygon as well.
   */
  readonly touchedParts: readonly number[];
}

/** A block in cells of the grid (not of the window). */
export interface PlannedBlock extends Window {
  /** Consecutive from 0, row by row. Blocks without a cell of the polygon are omitted. */
  readonly idx: number;
  readonly pointCount: number;
}

const PARTS_NAMED = 5;

export interface PlanWarning {
  readonly code: 'smaller_than_cell' | 'partly_outside_grid';
  readonly message: string;
}

export interface CellPlan extends CellRule {
  /** The output raster's extent. */
  readonly window: Window;
  readonly blockTiles: number;
  readonly blocks: readonly PlannedBlock[];
  /** At least 1. */
  readonly pointCount: number;
  readonly warnings: readonly PlanWarning[];
}

export type BlockEdge = { readonly blockTiles: number } | { readonly pace: Pace };

/** Called before each count of the cells; throws to stop planning. */
export type Checkpoint = () => void;

export const neverStop: Checkpoint = () => {};

/** Null if the polygon's bounding box does not overlap the grid. */
export function planWindow(polygon: MultiPolygonRings, grid: Grid): Window | null {
  return findWindow(projectPolygon(polygon, grid), grid);
}

/**
 * Counts the cells of the grid that belong to a WGS84 polygon, block by block; null if there are
 * none.
 */
export function planCells(
  polygon: MultiPolygonRings,
  grid: Grid,
  edge: BlockEdge = { blockTiles: grid.block_tiles },
  checkpoint: Checkpoint = neverStop,
): CellPlan | null {
  const projected = projectPolygon(polygon, grid);
  const window = findWindow(projected, grid);
  if (window === null) return null;
  const { withCentre, touching } = sortPartsByCells(projected, window, grid);
  const rule: CellRule =
    withCentre === 0
      ? { rule: 'touched', touchedParts: [] }
      : { rule: 'centre', touchedParts: touching };
  const blocks = cutInBlocks(
    { projected, touching: touchingRings(projected, rule), window, grid },
    edge,
    checkpoint,
  );
  if (blocks.pointCount === 0) return null;

  const warnings: PlanWarning[] = [];
  if (isPartlyOutside(polygon, projected, grid)) {
    warnings.push({
      code: 'partly_outside_grid',
      message:
        "Part of the polygon lies outside the model's grid; the raster holds the rest of it.",
    });
  }
  if (withCentre === 0 || touching.length > 0 || areaInCells(projected) < 1) {
    warnings.push(smallerThanCellWarning(rule, blocks.pointCount));
  }
  return { window, ...rule, ...blocks, warnings };
}

/** @param projected the same polygon */
export function isPartlyOutside(
  polygon: MultiPolygonRings,
  projected: ProjectedParts,
  grid: Grid,
): boolean {
  return leavesGrid(projected, grid) || new Set(projected.partOfRing).size < polygon.length;
}

function smallerThanCellWarning({ rule, touchedParts }: CellRule, cells: number): PlanWarning {
  const held = cells === 1 ? 'the cell' : `the ${cells} cells`;
  if (rule === 'touched') {
    const message = `The polygon does not cover the centre of any cell; the raster holds ${held} that it touches.`;
    return { code: 'smaller_than_cell', message };
  }
  if (touchedParts.length === 0) {
    const message = `The polygon is smaller than a cell; the raster holds ${held} whose centre it covers.`;
    return { code: 'smaller_than_cell', message };
  }
  const named = touchedParts.slice(0, PARTS_NAMED).join(', ');
  const more = touchedParts.length - PARTS_NAMED;
  const parts = touchedParts.length === 1 ? `Part ${named}` : `Parts ${named}`;
  const others = more > 0 ? ` and ${more} more` : '';
  const [cover, each] =
    touchedParts.length === 1 ? ['does not cover', 'it'] : ['do not cover', 'each'];
  return {
    code: 'smaller_than_cell',
    message: `${parts}${others} of the MultiPolygon (counted from 0) ${cover} the centre of any cell; the raster holds every cell that ${each} touches.`,
  };
}

type Blocks = Pick<CellPlan, 'blockTiles' | 'blocks' | 'pointCount'>;

interface CountedPolygon {
  readonly projected: ProjectedParts;
  /** The rings for which every touched cell counts. */
  readonly touching: ProjectedPolygon;
  readonly window: Window;
  readonly grid: Grid;
}

function cutInBlocks(polygon: CountedPolygon, edge: BlockEdge, checkpoint: Checkpoint): Blocks {
  const { grid } = polygon;
  const cutWith = (blockTiles: number): Blocks => {
    checkpoint();
    const blocks = countBlocks(polygon, blockTiles);
    return { blockTiles, blocks, pointCount: blocks.reduce((sum, b) => sum + b.pointCount, 0) };
  };
  if ('blockTiles' in edge) return cutWith(edge.blockTiles);

  // Start with the largest blocks: they are the cheapest to count, and the count determines the size.
  let best = cutWith(grid.block_tiles);
  for (const blockTiles of chooseBlockEdges(best.pointCount, grid, edge.pace)) {
    if (blockTiles !== best.blockTiles) best = cutWith(blockTiles);
    if (best.blocks.length <= edge.pace.maxBlocks) break;
  }
  return best;
}

/** 1 for each cell of the window that belongs to the polygon by the rule, else 0; row-major. */
export function drawCellMask(
  projected: ProjectedParts,
  window: Window,
  rule: CellRule,
): Uint8Array {
  return rasteriseTouched(projected, window, touchingRings(projected, rule));
}

function touchingRings(projected: ProjectedParts, rule: CellRule): ProjectedPolygon {
  if (rule.rule === 'touched') return projected;
  return selectParts(projected, new Set(rule.touchedParts));
}

function countBlocks(
  { projected, touching, window, grid }: CountedPolygon,
  blockTiles: number,
): PlannedBlock[] {
  const counts = countByBlock(projected, window, grid.tile_size * blockTiles, touching);
  const blocks: PlannedBlock[] = [];
  for (const [i, area] of splitInBlocks(window, grid, blockTiles).entries()) {
    const pointCount = counts[i] ?? 0;
    if (pointCount > 0) blocks.push({ idx: blocks.length, ...area, pointCount });
  }
  return blocks;
}

interface PartsByCells {
  readonly withCentre: number;
  /** Ascending. */
  readonly touching: readonly number[];
}

/** Parts that meet no cell of the grid are in neither group. */
export function sortPartsByCells(
  projected: ProjectedParts,
  window: Window,
  grid: Grid,
): PartsByCells {
  const ringsOfPart = new Map<number, Float64Array[]>();
  for (const [i, ring] of projected.rings.entries()) {
    const part = projected.partOfRing[i] ?? 0;
    const rings = ringsOfPart.get(part);
    if (rings === undefined) ringsOfPart.set(part, [ring]);
    else rings.push(ring);
  }
  let withCentre = 0;
  const touching: number[] = [];
  for (const [part, rings] of ringsOfPart) {
    const partWindow = findWindow({ rings }, grid);
    if (partWindow === null) continue;
    const around = { ...window, row: partWindow.row, height: partWindow.height };
    if (coversCentre({ rings }, around)) withCentre += 1;
    else if (touchesCell({ rings }, around)) touching.push(part);
  }
  return { withCentre, touching };
}
