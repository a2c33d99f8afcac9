import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { needsOnnxRuntime } from '#engine/model/load-regressor.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { padForHalving } from '#engine/raster/cog/raster.ts';
import type { Window } from '#engine/raster/grid/grid.ts';
import { type CellPlan, planCells } from '#engine/raster/grid/plan.ts';
import { plannedCells } from '../../lambdas/domain/job/planning/draft-plan.ts';

/** A part of a raster that is read and predicted at once. Counts from the raster's first cell. */
export interface Piece extends Window {
  /** Cells that belong to the polygon. */
  readonly inside: number;
}

/** A job's raster as a pack would make it. */
export interface Layout {
  readonly plan: CellPlan;
  /** In cells, with the padding. */
  readonly width: number;
  readonly height: number;
  /** Whether a cell's prediction may depend on the cells that are predicted with it. */
  readonly dependsOnOthers: boolean;
  readonly pieces: readonly Piece[];
}

/** Null if polygon and grid do not overlap. */
export async function layoutOf(
  { manifest, files }: Pack,
  polygon: MultiPolygonRings,
): Promise<Layout | null> {
  const { grid, graph } = manifest;
  const plan = plannedCells(polygon, manifest);
  const tiles = planCells(polygon, grid, { blockTiles: 1 });
  if (plan === null || tiles === null) return null;
  const { width, height } = padForHalving({ ...plan.window, tileSize: grid.tile_size });
  // ONNX Runtime may add in another order for another number of points. A piece as wide as a
  // patch-batch and a tile high is predicted in the same calls as by the job.
  const dependsOnOthers = graph !== undefined && needsOnnxRuntime(await files.read(graph.href));
  const across = grid.tile_size * (dependsOnOthers ? plan.blockTiles : 1);
  const pieces = new Map<string, Piece>();
  for (let row = 0; row < height; row += grid.tile_size) {
    for (let col = 0; col < width; col += across) {
      const piece = {
        col,
        row,
        width: Math.min(across, width - col),
        height: Math.min(grid.tile_size, height - row),
        inside: 0,
      };
      pieces.set(`${col} ${row}`, piece);
    }
  }
  for (const tile of tiles.blocks) {
    const col = tile.col - plan.window.col;
    const key = `${col - (col % across)} ${tile.row - plan.window.row}`;
    const piece = pieces.get(key);
    if (piece !== undefined) {
      pieces.set(key, { ...piece, inside: piece.inside + tile.pointCount });
    }
  }
  return { plan, width, height, dependsOnOthers, pieces: [...pieces.values()] };
}
