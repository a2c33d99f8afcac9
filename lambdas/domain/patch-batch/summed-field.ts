import type { Manifest } from '../../model/pack/manifest.ts';
import { summarisedBands } from '../../model/pack/summarised-bands.ts';
import { groundMetrics } from '../../raster/grid/ground.ts';
import type { ProjectedParts } from '../../raster/grid/project.ts';
import { nodeEdges } from '../../raster/summary/correlation.ts';
import type { SummedField } from '../../raster/summary/sum-block.ts';
import type { Plan, PlannedBlock } from './patch-batch.ts';

/** What of a block is summed for the job's summary; null if the model predicts no mean of a quantity. */
export function summedField(
  manifest: Manifest,
  { window, blocks }: Plan,
  block: PlannedBlock,
  projected: ProjectedParts,
): SummedField | null {
  const bands = summarisedBands(manifest);
  if (bands === null) return null;
  const { grid } = manifest;
  const { mean, errors } = bands;
  const field = { projected, grid, window, block, mean, nodata: manifest.nodata };
  const common = { ...field, bands: manifest.bands.length };
  if (errors === null) return { ...common, errors: null };
  const centre = groundMetrics(grid)(window.col + window.width / 2, window.row + window.height / 2);
  const pointCount = blocks.reduce((sum, each) => sum + each.pointCount, 0);
  const edges = nodeEdges({ ...window, pointCount }, centre, errors.correlation);
  const shared = errors.z * errors.systematicRelativeSd;
  return { ...common, errors: { lower: errors.lower, upper: errors.upper, shared, edges } };
}
