import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { deployedPack, type PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { type CellWindow, predictStrips } from '#engine/model/predict-window.ts';
import { blockEncoder, type EncodedBlock } from '#engine/raster/cog/block-encoder.ts';
import { cellMask } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import { blockSummer } from '#engine/raster/summary/sum-block.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import { entryOf, type JobRequests } from '../job/job-requests.ts';
import type { JobStore } from '../job/job-store.ts';
import { plannedPolygon } from '../job/planning/planned-polygon.ts';
import type { BlockStore } from './block-store.ts';
import type { Plan, PlannedBlock } from './patch-batch.ts';
import type { PatchBatchStore } from './patch-batch-store.ts';
import { reuseBlock } from './reuse-block.ts';
import { summedField } from './summed-field.ts';

export interface PredictPatchBatchPorts {
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly jobRequests: JobRequests;
  readonly blocks: BlockStore;
  readonly catalogue: PackCatalogue;
  readonly clock: Clock;
  /**
   * Number of threads.
   * @default 1
   */
  readonly threads?: number;
}

export type Prediction =
  | { readonly kind: 'completed'; readonly predictedPoints: number; readonly inferenceMs: number }
  /** Predicted by the job that this one retries. */
  | { readonly kind: 'reused'; readonly predictedPoints: number }
  /** The patch-batch or its job is already final. */
  | { readonly kind: 'nothing-to-do' };

/**
 * Predicts one patch-batch and stores its block. Safe to repeat: the same bytes, counted once.
 * @throws CovariateUnavailable
 */
export async function predictPatchBatch(
  ports: PredictPatchBatchPorts,
  batchId: BatchId,
  jobIndex: number,
  idx: number,
): Promise<Prediction> {
  const job = await ports.jobs.read(batchId, jobIndex);
  if (job?.state.status !== 'processing') return { kind: 'nothing-to-do' };
  const plan = await ports.patchBatches.readPlan(batchId, jobIndex);
  const block = plan?.blocks.find((planned) => planned.idx === idx);
  if (plan === null || block === undefined) {
    throw new Error(`job ${jobIndex} of batch ${batchId} has no patch-batch ${idx}`);
  }
  const started = await ports.patchBatches.start(batchId, jobIndex, idx, now(ports));
  if (started === 'unchanged') return { kind: 'nothing-to-do' };

  const entry = await entryOf(ports.jobRequests, batchId, jobIndex);
  const reused = await reuseBlock(ports, { batchId, jobIndex, idx }, { plan, block, entry });
  if (reused !== null) {
    const counted = await ports.patchBatches.complete(batchId, jobIndex, block, reused, now(ports));
    if (counted === 'unchanged') return { kind: 'nothing-to-do' };
    return { kind: 'reused', predictedPoints: reused.predictedPoints };
  }

  const pack = deployedPack(ports.catalogue, plan.model);
  const polygon = await plannedPolygon(ports.jobRequests, batchId, entry);
  const { predicted, encoded, durationMs } = await predict(ports, pack, plan, block, polygon);
  await ports.blocks.write(batchId, jobIndex, idx, encoded);
  const outcome = { predictedPoints: predicted, inferenceDurationMs: durationMs };
  const completed = await ports.patchBatches.complete(
    batchId,
    jobIndex,
    block,
    outcome,
    now(ports),
  );
  if (completed === 'unchanged') return { kind: 'nothing-to-do' };
  return { kind: 'completed', predictedPoints: predicted, inferenceMs: durationMs };
}

interface PredictedBlock {
  readonly predicted: number;
  readonly encoded: EncodedBlock;
  readonly durationMs: number;
}

async function predict(
  { clock, threads }: PredictPatchBatchPorts,
  pack: Pack,
  plan: Plan,
  block: PlannedBlock,
  polygon: MultiPolygonRings,
): Promise<PredictedBlock> {
  const { grid, raster } = pack.manifest;
  const projected = projectPolygon(polygon, grid);
  const encoder = blockEncoder({
    width: block.width,
    height: block.height,
    sampleType: raster.sample_type,
    resampling: pack.manifest.bands.map(({ overviews }) => overviews),
    nodata: pack.manifest.nodata,
    tileSize: grid.tile_size,
    blockTiles: plan.blockTiles,
    compression: raster.compression,
  });
  const field = summedField(pack.manifest, plan, block, projected);
  const summer = field === null ? null : blockSummer(field);
  let [predicted, durationMs] = [0, 0];
  let start = clock().getTime();
  const insideOf = (strip: CellWindow): Uint8Array => cellMask(projected, strip, plan);
  for await (const strip of predictStrips(pack, block, insideOf, threads)) {
    durationMs += clock().getTime() - start;
    predicted += strip.predicted;
    encoder.addRows(strip.cells);
    summer?.addRows(strip.window, strip.cells, strip.wanted);
    start = clock().getTime();
  }
  return { predicted, encoded: encoder.finish(summer?.finish() ?? null), durationMs };
}

function now({ clock }: PredictPatchBatchPorts): string {
  return timestamp(clock());
}
