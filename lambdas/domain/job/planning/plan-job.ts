import type { CovariateFile } from '#engine/model/covariates/covariate-files.ts';
import { type PackCatalogue, requireDeployedPack } from '#engine/model/pack/catalogue.ts';
import { formatDigests, type PackDigests, sha256 } from '#engine/model/pack/digests.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { type BatchStore, isFinal } from '../../batch/batch.ts';
import { type Clock, timestamp } from '../../clock.ts';
import type { BatchId } from '../../identity.ts';
import type { PatchBatchStore, Plan } from '../../patch-batch/patch-batch.ts';
import { divideIntoShares } from '../../patch-batch/shares.ts';
import type { JobError, JobStore } from '../job.ts';
import { type JobRequests, readEntry } from '../job-requests.ts';
import { draftPlan, type PlanDraft } from './draft-plan.ts';
import { resolveJob } from './resolve-job.ts';

export interface PlanJobPorts {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly jobRequests: JobRequests;
  readonly catalogue: PackCatalogue;
  readonly packDigests: (pack: Pack) => Promise<PackDigests>;
  /** Looks up the covariate files at URLs as they are now. @throws CovariateUnavailable */
  readonly covariateFiles: (pack: Pack) => Promise<readonly CovariateFile[]>;
  readonly clock: Clock;
}

interface PlannedShares {
  readonly kind: 'planned';
  readonly patchBatches: number;
  /** Indexes of patch-batches. */
  readonly shares: readonly (readonly number[])[];
}

/** `nothing-to-do`: the job or its batch is final, the batch is being cancelled, or the job does not exist. */
export type JobPlanning =
  | PlannedShares
  | { readonly kind: 'refused'; readonly error: JobError }
  | { readonly kind: 'nothing-to-do' };

/**
 * Cuts a job into patch-batches and starts it, or fails it with an error for its sender.
 * @throws CovariateUnavailable
 */
export async function planJob(
  ports: PlanJobPorts,
  batchId: BatchId,
  index: number,
): Promise<JobPlanning> {
  const batch = await ports.batches.readBatch(batchId);
  if (batch === null || isFinal(batch)) return { kind: 'nothing-to-do' };
  if (batch.cancel_requested_at !== undefined) return { kind: 'nothing-to-do' };
  if (index >= batch.total_jobs) return { kind: 'nothing-to-do' };
  if (batch.status === 'pending') await ports.batches.start(batchId, currentTime(ports));

  const earlier = await findEarlierPlanning(ports, batchId, index);
  if (earlier !== null) return earlier;

  const entry = await readEntry(ports.jobRequests, batchId, index);
  const { geometry, warnings } = await ports.jobRequests.job(batchId, entry);
  const model = entry.model ?? batch.model;
  const resolved = resolveJob(ports.catalogue, {
    geometry,
    year: entry.year,
    model,
    hectaresPerJob: batch.hectares_per_job,
    // A job that could not be resolved when it was created has no stored area.
    ...(entry.chargedSquareMetres > 0 ? { area: entry } : {}),
  });
  const drafted = draftPlan(resolved, warnings);
  if (drafted.kind === 'refused') {
    const failed = await ports.jobs.fail(batchId, index, drafted.error, currentTime(ports));
    return failed === 'changed' ? drafted : { kind: 'nothing-to-do' };
  }
  return beginJob(ports, batchId, index, drafted);
}

async function beginJob(
  ports: PlanJobPorts,
  batchId: BatchId,
  index: number,
  drafted: Extract<PlanDraft, { kind: 'plan' }>,
): Promise<JobPlanning> {
  const pack = requireDeployedPack(ports.catalogue, drafted.plan);
  const [digests, files] = await Promise.all([ports.packDigests(pack), ports.covariateFiles(pack)]);
  const plan = await ports.patchBatches.writePlan(batchId, index, {
    ...drafted.plan,
    packSha256: sha256(formatDigests(digests)),
    ...(files.length === 0 ? {} : { covariateFiles: files }),
  });
  const planning = toPlannedShares(ports, plan);
  const job = {
    model: { ...drafted.model, sha256: plan.packSha256 },
    warnings: drafted.warnings,
    total_patch_batches: plan.blocks.length,
    shares: planning.shares.length,
    point_count: plan.blocks.reduce((sum, { pointCount }) => sum + pointCount, 0),
  };
  const started = await ports.jobs.begin(batchId, index, job, currentTime(ports));
  if (started === 'changed') return planning;
  return (await findEarlierPlanning(ports, batchId, index)) ?? { kind: 'nothing-to-do' };
}

/** Returns null if the job is neither planned nor failed yet. */
async function findEarlierPlanning(
  ports: PlanJobPorts,
  batchId: BatchId,
  index: number,
): Promise<JobPlanning | null> {
  const job = await ports.jobs.read(batchId, index);
  if (job === null) return null;
  if (job.status !== 'processing') return { kind: 'nothing-to-do' };
  const plan = await ports.patchBatches.readPlan(batchId, index);
  if (plan === null) throw new Error(`job ${index} of batch ${batchId} is running but has no plan`);
  return toPlannedShares(ports, plan);
}

function toPlannedShares({ catalogue }: PlanJobPorts, plan: Plan): PlannedShares {
  const { manifest } = requireDeployedPack(catalogue, plan);
  const shares = divideIntoShares(plan.blocks, manifest.points_per_second);
  return { kind: 'planned', patchBatches: plan.blocks.length, shares };
}

function currentTime({ clock }: PlanJobPorts): string {
  return timestamp(clock());
}
