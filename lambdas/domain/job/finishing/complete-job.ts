import { mapInParallel } from '#engine/concurrency/in-parallel.ts';
import { type PackCatalogue, requireDeployedPack } from '#engine/model/pack/catalogue.ts';
import type { PackDigests } from '#engine/model/pack/digests.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { unitOf } from '#engine/model/pack/property.ts';
import { formatCitation, listLicenses } from '#engine/model/pack/sources.ts';
import { assembleCog } from '#engine/raster/cog/assemble.ts';
import type { RasterDescription } from '#engine/raster/cog/raster.ts';
import { createWholeBlockSource } from '#engine/raster/cog/whole-block-source.ts';
import { isGeographic, windowOrigin } from '#engine/raster/grid/grid.ts';
import { type Clock, timestamp } from '../../clock.ts';
import { type BatchId, jobIdOf } from '../../identity.ts';
import type { BlockStore, PatchBatchStore, Plan } from '../../patch-batch/patch-batch.ts';
import { encodePredictionErrors, type JobPredictionErrors } from '../../total/prediction-errors.ts';
import type { FinishedRaster, JobStore, ProcessingRecord } from '../job.ts';
import { type JobEntry, type JobRequests, readEntry } from '../job-requests.ts';
import { type RequestedJob, validPolygon } from '../requested-job.ts';
import { type FinishJobPorts, finishJob, type JobFinish } from './finish-job.ts';
import { provenanceTags, type RasterTags } from './provenance.ts';
import type { RasterUploads } from './rasters.ts';
import { registeredTarget } from './registered-uploads.ts';
import { summariseJob } from './summarise-job.ts';

export type CompleteJobPorts = AssembleRasterPorts & FinishJobPorts;

export type JobCompletion =
  | ({
      readonly kind: 'assembled';
      readonly bytes: number;
    } & Omit<AssembledRaster, 'raster'>)
  | JobFinish;

/**
 * Writes a job's raster and completes the job, or fails a job that cannot have a raster. One step does both, because
 * the transition to a second step would cost more than its work. Safe to repeat: the upload is registered on the job,
 * and the same version of the service writes the same bytes.
 */
export async function completeJob(
  ports: CompleteJobPorts,
  batchId: BatchId,
  index: number,
): Promise<JobCompletion> {
  const assembly = await assembleRaster(ports, batchId, index);
  switch (assembly.kind) {
    case 'nothing-to-do':
      return { kind: 'unchanged' };
    case 'not-predicted':
      return finishJob(ports, batchId, index, null);
    case 'assembled': {
      const at = timestamp(ports.clock());
      const { raster, ...assembled } = assembly;
      const completed = await ports.jobs.complete(batchId, index, at, raster);
      return completed === 'changed'
        ? { ...assembled, bytes: raster.raster_bytes }
        : { kind: 'unchanged' };
    }
  }
}

export interface AssembleRasterPorts {
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly jobRequests: JobRequests;
  readonly blocks: BlockStore;
  readonly rasters: RasterUploads;
  readonly jobPredictionErrors: JobPredictionErrors;
  readonly catalogue: PackCatalogue;
  readonly packDigests: (pack: Pack) => Promise<PackDigests>;
  readonly version: string;
  readonly clock: Clock;
}

interface AssembledRaster {
  readonly raster: FinishedRaster;
  readonly parts: number;
  /** Ground area of the polygon. */
  readonly squareMetres: number;
}

type Assembly =
  | ({ readonly kind: 'assembled' } & AssembledRaster)
  /** A patch-batch is not completed, or no cell has a value, so the job has no raster. */
  | { readonly kind: 'not-predicted' }
  /** The job is final or does not exist. */
  | { readonly kind: 'nothing-to-do' };

const INDEXES_AT_ONCE = 16;

export async function assembleRaster(
  ports: AssembleRasterPorts,
  batchId: BatchId,
  jobIndex: number,
): Promise<Assembly> {
  const job = await ports.jobs.read(batchId, jobIndex);
  if (job?.status !== 'processing') return { kind: 'nothing-to-do' };
  if (!isPredicted(job)) return { kind: 'not-predicted' };
  const [{ plan, blocks }, { entry, requested }] = await Promise.all([
    readPlannedBlocks(ports, batchId, jobIndex),
    readRequestedJob(ports, batchId, jobIndex),
  ]);
  const pack = requireDeployedPack(ports.catalogue, plan);
  const source = createWholeBlockSource(ports.blocks, blocks);
  const tags = await buildTags(ports, { batchId, job, entry, requested, pack, plan });
  const raster = describeRaster(pack, plan, tags);
  const polygon = validPolygon(requested);
  try {
    const summarised = await summariseJob(pack.manifest, plan, polygon, blocks, source);
    // Store the errors before the raster, because once the raster exists another step may complete the job.
    if (summarised?.errors) {
      const errors = encodePredictionErrors([{ job_index: jobIndex, ...summarised.errors }]);
      await ports.jobPredictionErrors.write(batchId, jobIndex, errors);
    }
    const summary = summarised?.summary ?? null;
    const target = registeredTarget(ports, batchId, jobIndex, summary);
    const assembled = await assembleCog({ raster, blocks, source, target });
    const { size, etag, parts } = assembled;
    const finished = {
      raster_bytes: size,
      raster_etag: etag,
      ...(summary === null ? {} : { summary }),
    };
    return { kind: 'assembled', raster: finished, parts, squareMetres: entry.squareMetres };
  } catch (error) {
    // If the job has ended, its upload may have been aborted. That is not a failure of this step.
    const now = await ports.jobs.read(batchId, jobIndex);
    if (now?.status !== 'processing') return { kind: 'nothing-to-do' };
    throw error;
  }
}

async function readPlannedBlocks(ports: AssembleRasterPorts, batchId: BatchId, jobIndex: number) {
  const plan = await ports.patchBatches.readPlan(batchId, jobIndex);
  if (plan === null)
    throw new Error(`job ${jobIndex} of batch ${batchId} is running but has no plan`);
  const blocks = await mapInParallel(plan.blocks, INDEXES_AT_ONCE, async ({ idx, col, row }) => ({
    ref: ports.blocks.ref(batchId, jobIndex, idx),
    col: col - plan.window.col,
    row: row - plan.window.row,
    index: await ports.blocks.readIndex(batchId, jobIndex, idx),
  }));
  return { plan, blocks };
}

async function readRequestedJob(
  { jobRequests }: AssembleRasterPorts,
  batchId: BatchId,
  index: number,
) {
  const entry = await readEntry(jobRequests, batchId, index);
  return { entry, requested: await jobRequests.job(batchId, entry) };
}

/** The counters change in the same transactions as the patch-batches. */
function isPredicted(job: ProcessingRecord): boolean {
  return job.completed_patch_batches === job.total_patch_batches && job.predicted_points > 0;
}

function describeRaster(
  { manifest }: Pack,
  { window, blockTiles }: Plan,
  tags: RasterDescription['tags'],
): RasterDescription {
  const { grid, property, raster } = manifest;
  return {
    width: window.width,
    height: window.height,
    crs: { epsg: grid.crs.epsg, name: grid.crs.name, geographic: isGeographic(grid) },
    origin: windowOrigin(window, grid),
    cellSize: grid.cell_size,
    tileSize: grid.tile_size,
    blockTiles,
    bands: manifest.bands.map(({ name, description, from, overviews, scale, offset }) => ({
      name,
      description: `${property.name}, ${property.depth_cm.join('–')} cm: ${description}`,
      unit: unitOf(manifest, { from }),
      quantile: from.level,
      resampling: overviews,
      scale,
      offset,
    })),
    nodata: manifest.nodata,
    sampleType: raster.sample_type,
    compression: raster.compression,
    sparse: raster.sparse,
    tags,
  };
}

interface RasterOrigin {
  readonly batchId: BatchId;
  readonly job: ProcessingRecord;
  readonly entry: JobEntry;
  readonly requested: RequestedJob;
  readonly pack: Pack;
  readonly plan: Plan;
}

async function buildTags(
  { packDigests, version }: AssembleRasterPorts,
  { batchId, job, entry, requested, pack, plan }: RasterOrigin,
): Promise<RasterTags> {
  const { ref, manifest } = pack;
  const [from, to] = manifest.property.depth_cm;
  return {
    ...(entry.name === null ? {} : { JOB_NAME: entry.name }),
    MODEL: ref,
    MODEL_TITLE: manifest.title,
    PROPERTY: manifest.property.name,
    UNIT: manifest.property.unit,
    DEPTH_CM: `${from}-${to}`,
    SAMPLE_SUPPORT: manifest.sample_support,
    REQUESTED_YEAR: String(entry.year),
    DATA_PERIOD: job.model.data_period.join('/'),
    TEMPORAL: job.model.temporal,
    ...provenanceTags({
      pack: await packDigests(pack),
      covariateFiles: plan.covariateFiles ?? [],
      polygon: requested.polygonSha256,
      version,
    }),
    ACCURACY: manifest.accuracy.map(({ metric, value }) => `${metric} ${value}`).join('; '),
    LICENSE: listLicenses(manifest).join('; '),
    CITATION: formatCitation(manifest),
    BATCH_ID: batchId,
    JOB_ID: jobIdOf(batchId, job.job_index),
  };
}
