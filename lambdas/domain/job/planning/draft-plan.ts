import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { PlannedMap } from '#engine/model/pack/catalogue.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import type { Window } from '#engine/raster/grid/grid.ts';
import { countGridCrossings } from '#engine/raster/grid/grid-crossings.ts';
import {
  type CellPlan,
  type Checkpoint,
  neverStop,
  planCells,
  planWindow,
} from '#engine/raster/grid/plan.ts';
import { LIMITS } from '../../limits.ts';
import type { Plan } from '../../patch-batch/patch-batch.ts';
import type { JobError, JobWarning } from '../job.ts';
import { type ChosenModel, outsideModelError } from './choose-model.ts';
import type { ResolvedJob } from './resolve-job.ts';

export type PlanDraft =
  | {
      readonly kind: 'plan';
      readonly plan: Omit<Plan, 'packSha256'>;
      readonly model: ChosenModel;
      readonly warnings: readonly JobWarning[];
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/**
 * Decides how a job is cut into patch-batches, or returns the error for its sender. Pure, so that an estimate and the
 * pipeline get the same result.
 * @param requestWarnings warnings about the request itself, whatever the plan
 * @throws whatever the checkpoint throws
 */
export function draftPlan(
  resolved: ResolvedJob,
  requestWarnings: readonly JobWarning[],
  checkpoint: Checkpoint = neverStop,
): PlanDraft {
  if (resolved.kind === 'refused') return resolved;
  const { polygon } = resolved;
  const { pack, model, warnings } = resolved.choice;
  const { grid } = pack.manifest;
  checkpoint();
  const crossings = countGridCrossings(polygon, grid);
  if (crossings > LIMITS.gridCrossingsPerJob) {
    return { kind: 'refused', error: tooManyGridCrossingsError(pack, crossings) };
  }
  checkpoint();
  const extent = planWindow(polygon, grid);
  if (extent !== null && tilesOf(extent, grid.tile_size) > LIMITS.tilesPerRaster) {
    return { kind: 'refused', error: rasterTooLargeError(extent, grid.tile_size) };
  }
  const cells = plannedCells(polygon, pack.manifest, checkpoint);
  if (cells === null) {
    return { kind: 'refused', error: outsideModelError(pack, polygon) };
  }
  if (cells.blocks.length > LIMITS.patchBatchesPerJob) {
    return { kind: 'refused', error: tooManyPatchBatchesError(cells.blocks.length) };
  }
  const { window, rule, touchedParts, blockTiles, blocks } = cells;
  return {
    kind: 'plan',
    plan: { ...mapOf(pack), window, rule, touchedParts, blockTiles, blocks },
    model,
    warnings: withoutRepeats([...warnings, ...cells.warnings, ...requestWarnings]),
  };
}

function mapOf({ ref, years }: Pack): PlannedMap {
  return { model: ref, ...(years === undefined ? {} : { years }) };
}

/** Returns null if the polygon and the grid do not overlap. */
export function plannedCells(
  polygon: MultiPolygonRings,
  { grid, points_per_second: pointsPerSecond }: Manifest,
  checkpoint?: Checkpoint,
): CellPlan | null {
  const pace = { pointsPerSecond, maxBlocks: LIMITS.patchBatchesPerJob };
  return planCells(polygon, grid, { pace }, checkpoint);
}

/** Drops the warning about a polygon partly outside the grid if it is also partly outside the coverage. */
function withoutRepeats(warnings: readonly JobWarning[]): readonly JobWarning[] {
  const isPartlyUncovered = warnings.some(({ code }) => code === 'partly_outside_coverage');
  return warnings.filter(({ code }) => !(isPartlyUncovered && code === 'partly_outside_grid'));
}

const tilesOf = ({ width, height }: Window, tileSize: number): number =>
  Math.ceil(width / tileSize) * Math.ceil(height / tileSize);

function tooManyGridCrossingsError({ ref, manifest }: Pack, crossings: number): JobError {
  const { cell_size, crs } = manifest.grid;
  return {
    code: 'too_many_grid_crossings',
    message: `The polygon's outline crosses lines of ${ref}'s grid (cells of ${cell_size} × ${cell_size}, ${crs.name}) ${crossings} times; at most ${LIMITS.gridCrossingsPerJob} crossings are allowed. Simplify the outline, or split the polygon into jobs with shorter outlines.`,
    location: null,
  };
}

function rasterTooLargeError(window: Window, tileSize: number): JobError {
  const { width, height } = window;
  const limit = LIMITS.tilesPerRaster;
  return {
    code: 'raster_too_large',
    message: `The job's raster would have ${width} × ${height} cells in ${tilesOf(window, tileSize)} tiles; at most ${limit} tiles are allowed, including those between the polygon's parts. Send distant parts as separate jobs.`,
    location: null,
  };
}

function tooManyPatchBatchesError(count: number): JobError {
  const limit = LIMITS.patchBatchesPerJob;
  return {
    code: 'too_many_patch_batches',
    message: `The job would be cut into ${count} patch-batches; at most ${limit} are allowed. Split the polygon into at least ${Math.ceil(count / limit)} compact jobs; send distant parts as separate jobs.`,
    location: null,
  };
}
