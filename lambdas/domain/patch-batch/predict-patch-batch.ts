import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { isSameFile, requireSameFiles } from '#engine/model/covariates/covariate-files.ts';
import { type PackCatalogue, requireDeployedPack } from '#engine/model/pack/catalogue.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { findStoredSupport } from '#engine/model/pack/property.ts';
import { findSummarisedBands } from '#engine/model/pack/summarised-bands.ts';
import {
  addCounts,
  type CellWindow,
  NO_CELLS,
  predictStrips,
} from '#engine/model/predict-window.ts';
import { createBlockEncoder, type EncodedBlock } from '#engine/raster/cog/block-encoder.ts';
import { createGroundMetrics } from '#engine/raster/grid/ground.ts';
import { drawCellMask, type PlannedBlock } from '#engine/raster/grid/plan.ts';
import { type ProjectedParts, projectPolygon } from '#engine/raster/grid/project.ts';
import { chooseNodeEdges } from '#engine/raster/summary/correlation.ts';
import { createBlockSummer, type SummedField } from '#engine/raster/summary/sum-cells.ts';
import { type Clock, millisecondsBetween, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore } from '../job/job.ts';
import {
  type JobEntry,
  type JobRequests,
  readEntry,
  readPlannedPolygon,
} from '../job/job-requests.ts';
import type {
  BlockFigures,
  BlockStore,
  PatchBatchOutcome,
  PatchBatchStore,
  Plan,
} from './patch-batch.ts';

export interface PredictPatchBatchPorts {
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly jobRequests: JobRequests;
  readonly blocks: BlockStore;
  readonly catalogue: PackCatalogue;
  readonly clock: Clock;
  /**
   * The number of threads that predict.
   * @default 1
   */
  readonly threads?: number;
}

export type Prediction =
  | { readonly kind: 'completed'; readonly predictedPoints: number; readonly inferenceMs: number }
  /** The block was copied from the job that this one retries. */
  | { readonly kind: 'reused'; readonly predictedPoints: number }
  /** The patch-batch is final, or its job is not being processed. */
  | { readonly kind: 'nothing-to-do' };

/**
 * Predicts one patch-batch, or copies its block from the job that this one retries. Safe to repeat.
 * @throws CovariateUnavailable
 */
export async function predictPatchBatch(
  ports: PredictPatchBatchPorts,
  batchId: BatchId,
  jobIndex: number,
  idx: number,
): Promise<Prediction> {
  const job = await ports.jobs.read(batchId, jobIndex);
  if (job?.status !== 'processing') return { kind: 'nothing-to-do' };
  const plan = await ports.patchBatches.readPlan(batchId, jobIndex);
  const block = plan?.blocks.find((planned) => planned.idx === idx);
  if (plan === null || block === undefined) {
    throw new Error(`job ${jobIndex} of batch ${batchId} has no patch-batch ${idx}`);
  }
  const started = await ports.patchBatches.start(batchId, jobIndex, idx, currentTime(ports));
  if (started === 'unchanged') return { kind: 'nothing-to-do' };

  const entry = await readEntry(ports.jobRequests, batchId, jobIndex);
  const ref = ports.blocks.ref(batchId, jobIndex, idx);
  const reused = await reuseBlock(ports, ref, { plan, block, entry });
  if (reused !== null) {
    const counted = await ports.patchBatches.complete(
      batchId,
      jobIndex,
      block,
      reused,
      currentTime(ports),
    );
    if (counted === 'unchanged') return { kind: 'nothing-to-do' };
    return { kind: 'reused', predictedPoints: reused.predicted_point_count };
  }

  const pack = requireDeployedPack(ports.catalogue, plan);
  await requireSameFiles(pack, plan.covariateFiles ?? []);
  const polygon = await readPlannedPolygon(ports.jobRequests, batchId, entry);
  const { encoded, ...predicted } = await predictBlock(ports, pack, plan, block, polygon);
  await ports.blocks.write(batchId, jobIndex, idx, encoded);
  const counted = await ports.patchBatches.complete(
    batchId,
    jobIndex,
    block,
    predicted,
    currentTime(ports),
  );
  if (counted === 'unchanged') return { kind: 'nothing-to-do' };
  return {
    kind: 'completed',
    predictedPoints: predicted.predicted_point_count,
    inferenceMs: predicted.inference_duration_ms,
  };
}

async function predictBlock(
  { clock, threads }: PredictPatchBatchPorts,
  pack: Pack,
  plan: Plan,
  block: PlannedBlock,
  polygon: MultiPolygonRings,
): Promise<BlockFigures & { readonly encoded: EncodedBlock }> {
  const { grid, raster } = pack.manifest;
  const projected = projectPolygon(polygon, grid);
  const encoder = createBlockEncoder({
    width: block.width,
    height: block.height,
    sampleType: raster.sample_type,
    resampling: pack.manifest.bands.map(({ overviews }) => overviews),
    nodata: pack.manifest.nodata,
    tileSize: grid.tile_size,
    blockTiles: plan.blockTiles,
    compression: raster.compression,
  });
  const field = selectSummedField(pack.manifest, plan, block, projected);
  const summer = field === null ? null : createBlockSummer(field);
  // The time for loading the model, reading covariates and predicting, without encoding.
  let durationMs = 0;
  let counts = NO_CELLS;
  let start = clock();
  const drawMask = (strip: CellWindow): Uint8Array => drawCellMask(projected, strip, plan);
  for await (const strip of predictStrips(pack, block, drawMask, threads)) {
    durationMs += millisecondsBetween(start, clock());
    counts = addCounts(counts, strip);
    encoder.addRows(strip.cells);
    summer?.addRows(strip.window, strip.cells, strip.mask);
    start = clock();
  }
  const encoded = encoder.finish(summer?.finish(counts) ?? null);
  return { encoded, predicted_point_count: counts.predicted, inference_duration_ms: durationMs };
}

function currentTime({ clock }: PredictPatchBatchPorts): string {
  return timestamp(clock());
}

/** Selects the field to sum for the job's summary; null if no band of the model is the mean of a quantity. */
export function selectSummedField(
  manifest: Manifest,
  { window, blocks }: Pick<Plan, 'window' | 'blocks'>,
  block: PlannedBlock,
  projected: ProjectedParts,
): SummedField | null {
  const bands = findSummarisedBands(manifest);
  if (bands === null) return null;
  const { grid } = manifest;
  const { mean, errors } = bands;
  const field = { projected, grid, window, block, mean, nodata: manifest.nodata };
  const support = findStoredSupport(manifest, mean);
  const common = { ...field, support, bands: manifest.bands.length };
  if (errors === null) return { ...common, errors: null };
  const centre = createGroundMetrics(grid)(
    window.col + window.width / 2,
    window.row + window.height / 2,
  );
  const pointCount = blocks.reduce((sum, each) => sum + each.pointCount, 0);
  const edges = chooseNodeEdges({ ...window, pointCount }, centre, errors.correlation);
  return { ...common, errors: { ...errors, edges } };
}

interface ReuseBlockPorts {
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'readPatchBatch'>;
  readonly blocks: Pick<BlockStore, 'copy' | 'ref'>;
}

interface PlannedPatchBatch {
  readonly plan: Plan;
  readonly block: PlannedBlock;
  readonly entry: JobEntry;
}

/**
 * Copies the block of the job that this one retries. The polygon is the same, so equal model files and an equal plan
 * give an equal block.
 * @param ref the name of the copy
 * @returns the outcome of the block's prediction; null if there is no block to reuse
 */
async function reuseBlock(
  { patchBatches, blocks }: ReuseBlockPorts,
  ref: string,
  { plan, block, entry }: PlannedPatchBatch,
): Promise<PatchBatchOutcome | null> {
  if (entry.retryOf === undefined) return null;
  const { batchId, index: jobIndex } = entry.retryOf;
  const [earlier, record] = await Promise.all([
    patchBatches.readPlan(batchId, jobIndex),
    patchBatches.readPatchBatch(batchId, jobIndex, block.idx),
  ]);
  if (earlier === null || record?.status !== 'completed') return null;
  if (!isSameMap(earlier, plan)) return null;
  if (!isSameRule(earlier, plan)) return null;
  if (earlier.blockTiles !== plan.blockTiles) return null;
  const earlierBlock = earlier.blocks.find(({ idx }) => idx === block.idx);
  if (earlierBlock === undefined || !isSameBlock(earlierBlock, block)) return null;
  if (!(await blocks.copy(blocks.ref(batchId, jobIndex, block.idx), ref))) return null;
  const { predicted_point_count, inference_duration_ms } = record;
  return { predicted_point_count, inference_duration_ms, isReused: true };
}

function isSameMap(a: Plan, b: Plan): boolean {
  const [files, others] = [a.covariateFiles ?? [], b.covariateFiles ?? []];
  return (
    a.model === b.model &&
    a.years?.join() === b.years?.join() &&
    a.packSha256 === b.packSha256 &&
    files.length === others.length &&
    files.every((file) => others.some((other) => isSameFile(file, other)))
  );
}

function isSameRule(a: Plan, b: Plan): boolean {
  return a.rule === b.rule && a.touchedParts.join() === b.touchedParts.join();
}

function isSameBlock(a: PlannedBlock, b: PlannedBlock): boolean {
  return (
    a.col === b.col &&
    a.row === b.row &&
    a.width === b.width &&
    a.height === b.height &&
    a.pointCount === b.pointCount
  );
}
