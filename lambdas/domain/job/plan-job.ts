import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { geodesicAreaHectares } from '../../raster/geometry/area.ts';
import { parseJobPolygon } from '../../raster/geometry/parse.ts';
import type { MultiPolygonRings } from '../../raster/geometry/polygon.ts';
import { planCells } from '../../raster/grid/plan.ts';
import { type Batch, isFinal } from '../batch/batch.ts';
import type { BatchStore } from '../batch/batch-store.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import type { Plan } from '../patch-batch/patch-batch.ts';
import type { PatchBatchStore } from '../patch-batch/patch-batch-store.ts';
import { chooseModel, outsideGrid, uncovered } from './choose-model.ts';
import type { JobError, JobWarning } from './job.ts';
import { entryOf, type JobEntry, type JobRequests } from './job-requests.ts';
import type { JobStore, PlannedJob } from './job-store.ts';
import { antimeridianHint } from './misplaced.ts';

export interface PlanJobPorts {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly jobRequests: JobRequests;
  readonly catalogue: PackCatalogue;
  readonly clock: Clock;
}

/** `nothing-to-do`: the job or its batch is final, by this step or another, or there is no such job. */
export type JobPlanning =
  | { readonly kind: 'planned'; readonly patchBatches: number }
  | { readonly kind: 'refused'; readonly error: JobError }
  | { readonly kind: 'nothing-to-do' };

/** Cuts a job into patch-batches and begins it, or fails it with what its sender can mend. */
export async function planJob(
  ports: PlanJobPorts,
  batchId: BatchId,
  index: number,
): Promise<JobPlanning> {
  const batch = await ports.batches.read(batchId);
  if (batch === null || isFinal(batch.state)) return { kind: 'nothing-to-do' };
  if (batch.cancelRequestedAt !== undefined) return { kind: 'nothing-to-do' };
  if (index >= batch.totalJobs) return { kind: 'nothing-to-do' };
  if (batch.state.status === 'pending') await ports.batches.start(batchId, now(ports));

  const earlier = await earlierPlanning(ports, batchId, index);
  if (earlier !== null) return earlier;

  const entry = await entryOf(ports.jobRequests, batchId, index);
  const polygon = await ports.jobRequests.polygon(batchId, entry);
  const drafted = draft(ports.catalogue, batch, entry, polygon);
  if (drafted.kind === 'refused') {
    const failed = await ports.jobs.fail(batchId, index, drafted.error, now(ports));
    return failed === 'changed' ? drafted : { kind: 'nothing-to-do' };
  }
  return begin(ports, batchId, index, drafted);
}

async function begin(
  ports: PlanJobPorts,
  batchId: BatchId,
  index: number,
  drafted: Extract<Draft, { kind: 'plan' }>,
): Promise<JobPlanning> {
  const plan = await ports.patchBatches.writePlan(batchId, index, drafted.plan);
  const pointCount = plan.blocks.reduce((sum, block) => sum + block.pointCount, 0);
  const planned = { ...drafted.job, totalPatchBatches: plan.blocks.length, pointCount };
  const begun = await ports.jobs.begin(batchId, index, planned, now(ports));
  if (begun === 'changed') return { kind: 'planned', patchBatches: plan.blocks.length };
  return (await earlierPlanning(ports, batchId, index)) ?? { kind: 'nothing-to-do' };
}

/** What an earlier run of this step decided; null when there was none. */
async function earlierPlanning(
  { jobs, patchBatches }: PlanJobPorts,
  batchId: BatchId,
  index: number,
): Promise<JobPlanning | null> {
  const job = await jobs.read(batchId, index);
  if (job === null) return null;
  if (job.state.status !== 'processing') return { kind: 'nothing-to-do' };
  const plan = await patchBatches.readPlan(batchId, index);
  if (plan === null) throw new Error(`job ${index} of batch ${batchId} runs without a plan`);
  return { kind: 'planned', patchBatches: plan.blocks.length };
}

type Draft =
  | {
      readonly kind: 'plan';
      readonly plan: Plan;
      readonly job: Pick<PlannedJob, 'model' | 'warnings'>;
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/** Pure: what the request, the batch and the models say is all it depends on. */
function draft(catalogue: PackCatalogue, batch: Batch, entry: JobEntry, sent: unknown): Draft {
  const parsed = parseJobPolygon(sent);
  if (parsed.kind === 'problem') {
    const { code, message, location } = parsed;
    return { kind: 'refused', error: { code, message, location } };
  }
  const tooLarge = areaOverLimit(parsed.polygon);
  if (tooLarge !== null) return { kind: 'refused', error: tooLarge };

  const asked = entry.model ?? batch.model;
  const choice = chooseModel(catalogue, asked, parsed.polygon, entry.year);
  if (choice.kind === 'refused') return choice;
  const { pack, model, warnings } = choice;
  const cells = planCells(parsed.polygon, pack.manifest.grid);
  if (cells === null) {
    const { polygon } = parsed;
    return {
      kind: 'refused',
      error: asked === null ? uncovered(catalogue, polygon) : outsideGrid(pack, polygon),
    };
  }
  if (cells.blocks.length > LIMITS.patchBatchesPerJob) {
    return { kind: 'refused', error: tooManyPatchBatches(cells.blocks.length) };
  }
  const { window, rule, blocks } = cells;
  return {
    kind: 'plan',
    plan: { model: pack.ref, window, rule, blocks },
    job: { model, warnings: withoutRepeats([...warnings, ...cells.warnings]) },
  };
}

/** What lies outside the grid lies outside the coverage: said once. */
function withoutRepeats(warnings: readonly JobWarning[]): readonly JobWarning[] {
  const uncoveredPart = warnings.some(({ code }) => code === 'partly_outside_coverage');
  return warnings.filter(({ code }) => !(uncoveredPart && code === 'partly_outside_grid'));
}

function areaOverLimit(polygon: MultiPolygonRings): JobError | null {
  const hectares = geodesicAreaHectares(polygon);
  if (hectares <= LIMITS.hectaresPerJob) return null;
  return {
    code: 'area_over_limit',
    message: `The polygon covers ${hectares.toFixed(1)} ha; a job may cover ${LIMITS.hectaresPerJob} ha at most. Split it into several jobs.${antimeridianHint(polygon)}`,
    location: null,
  };
}

function tooManyPatchBatches(count: number): JobError {
  const limit = LIMITS.patchBatchesPerJob;
  return {
    code: 'too_many_patch_batches',
    message: `The job would be cut into ${count} patch-batches; ${limit} are allowed. Split the polygon into at least ${Math.ceil(count / limit)} compact jobs; parts far from each other belong into jobs of their own.`,
    location: null,
  };
}

function now({ clock }: PlanJobPorts): string {
  return timestamp(clock());
}
