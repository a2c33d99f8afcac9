import type { Manifest } from '#engine/model/pack/manifest.ts';
import { supportOf } from '#engine/model/pack/property.ts';
import { storedAs } from '#engine/model/pack/samples.ts';
import { type BandSamples, summarisedBands } from '#engine/model/pack/summarised-bands.ts';
import { groundMetrics } from '#engine/raster/grid/ground.ts';
import type { ProjectedParts } from '#engine/raster/grid/project.ts';
import { nodeEdges } from '#engine/raster/summary/correlation.ts';
import type { SummedField } from '#engine/raster/summary/sum-block.ts';
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
  const support = storedSupport(manifest, mean);
  const common = { ...field, support, bands: manifest.bands.length };
  if (errors === null) return { ...common, errors: null };
  const centre = groundMetrics(grid)(window.col + window.width / 2, window.row + window.height / 2);
  const pointCount = blocks.reduce((sum, each) => sum + each.pointCount, 0);
  const edges = nodeEdges({ ...window, pointCount }, centre, errors.correlation);
  const shared = errors.z * errors.systematicRelativeSd;
  return { ...common, errors: { lower: errors.lower, upper: errors.upper, shared, edges } };
}

/** Rounded as samples are, so that a value at its end is not beyond it. */
function storedSupport(manifest: Manifest, mean: BandSamples): SummedField['support'] {
  const asSample = (value: number): number =>
    storedAs(manifest.raster.sample_type, mean, value) * mean.scale + mean.offset;
  const { lower, upper } = supportOf(manifest);
  return { lower: asSample(lower), upper: asSample(upper) };
}
