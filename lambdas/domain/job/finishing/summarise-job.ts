import { ellipsoidalHectares } from '#engine/geometry/area.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { summarisedBands } from '#engine/model/pack/summarised-bands.ts';
import { placesOf } from '#engine/raster/cog/block-index.ts';
import type { CogBlock } from '#engine/raster/cog/placed-block.ts';
import type { BlockSource } from '#engine/raster/cog/ports.ts';
import { isPartlyOutside } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import { correlatedSum, type HalfWidths } from '#engine/raster/summary/correlated-sum.ts';
import type { StoredNodes } from '#engine/raster/summary/stored-nodes.ts';
import { storedNodes } from '#engine/raster/summary/stored-nodes.ts';
import type { Plan } from '../../patch-batch/patch-batch.ts';
import type { JobSummary } from '../job-summary.ts';
import { summarise } from './summarise.ts';

/** The summary of a job from its blocks; the same blocks give the same summary. Null if there is no mean. */
export async function summariseJob(
  manifest: Manifest,
  plan: Plan,
  polygon: MultiPolygonRings,
  blocks: readonly CogBlock[],
  source: BlockSource,
): Promise<JobSummary | null> {
  const sums = blocks.flatMap(({ index }) => index.sums ?? []);
  if (sums.length < blocks.length) return null;
  return summarise(manifest, {
    hectares: ellipsoidalHectares(polygon),
    isPartlyOutside: isPartlyOutside(
      polygon,
      projectPolygon(polygon, manifest.grid),
      manifest.grid,
    ),
    sums,
    correlated: await correlatedErrors(manifest, plan, blocks, source),
  });
}

async function correlatedErrors(
  manifest: Manifest,
  { window }: Plan,
  blocks: readonly CogBlock[],
  source: BlockSource,
): Promise<HalfWidths | null> {
  const declared = summarisedBands(manifest)?.errors ?? null;
  const nodes = blocks.flatMap(({ ref, index }): StoredNodes[] => {
    const errors = index.sums?.errors ?? null;
    return errors === null ? [] : [{ ref, offset: placesOf(index).nodesOffset, errors }];
  });
  const edges = nodes[0]?.errors.edges;
  if (declared === null || edges === undefined) return null;
  const { grid } = manifest;
  return correlatedSum(storedNodes(nodes, edges, { window, grid, source }), declared.correlation);
}
