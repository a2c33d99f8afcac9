import { type PackCatalogue, requireDeployedPack } from '#engine/model/pack/catalogue.ts';
import type { Checkpoint } from '#engine/raster/grid/plan.ts';
import {
  findLimitViolations,
  type RequestedBatch,
  type Violation,
} from '../batch/requested-batch.ts';
import { type Clock, type CpuClock, timestamp } from '../clock.ts';
import { type BatchCost, costOfBatch, type Pricing } from '../cost/batch-cost.ts';
import { expectedWork, type PlannedWork } from '../cost/job-work.ts';
import type { JobWarning } from '../job/job.ts';
import { draftPlan, type PlanDraft } from '../job/planning/draft-plan.ts';
import { areaOfResolved, type ResolvedJob, resolveJob } from '../job/planning/resolve-job.ts';
import { jobGeometry, type NewJob, requestWarnings } from '../job/requested-job.ts';
import { LIMITS } from '../limits.ts';
import {
  type Concurrency,
  type DurationRange,
  expectedDuration,
  expectedSeconds,
  type RecentTimes,
} from './batch-times.ts';
import {
  type Allowance,
  type Amount,
  dayOf,
  readTenantQuota,
  type TenantQuotaPorts,
} from './quota.ts';

export interface EstimatePorts extends TenantQuotaPorts, Pricing {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly clock: Clock;
  readonly cpuClock: CpuClock;
  readonly concurrency: Concurrency;
  readonly retentionDays: number;
  readonly recentTimes: Pick<RecentTimes, 'read'>;
}

export interface JobEstimate {
  readonly name: string | null;
  readonly year: number;
  /** The area that the job is charged. */
  readonly squareMetres: number;
  /** Null if the CPU time limit was reached before the plan was drafted; see `LIMITS.estimateCpuSeconds`. */
  readonly draft: PlanDraft | null;
}

export interface Estimate {
  readonly kind: 'estimate';
  readonly jobs: readonly JobEstimate[];
  /** The time that prediction alone takes; null if the draft of any job is null. */
  readonly expectedSeconds: number | null;
  /** The time from creation to the final state; null without recent batches or if the draft of any job is null. */
  readonly expectedDuration: DurationRange | null;
  /** At list prices; null if the draft of any job is null. */
  readonly expectedCost: BatchCost | null;
  readonly wanted: Amount;
  readonly allowance: Allowance;
}

/** @param cpuStart the CPU clock when the request began */
export async function estimateBatch(
  ports: EstimatePorts,
  tenant: string,
  requested: RequestedBatch,
  cpuStart: number,
): Promise<Estimate | { readonly kind: 'refused'; readonly violations: readonly Violation[] }> {
  const violations = findLimitViolations(requested);
  if (violations.length > 0) return { kind: 'refused', violations };

  const [catalogue, recent, { limits, allowance }] = await Promise.all([
    ports.catalogue(),
    ports.recentTimes.read(),
    readTenantQuota(ports, tenant, dayOf(timestamp(ports.clock()))),
  ]);
  // Areas come first, so that the charge is complete even if no time is left for planning.
  const { hectaresPerJob } = limits;
  const resolved = requested.jobs.map((job) => ({
    job,
    result: resolveJob(catalogue, { ...toJobSpec(requested, job), hectaresPerJob }),
  }));
  const checkpoint = checkpointAt(ports.cpuClock, cpuStart + LIMITS.estimateCpuSeconds * 1_000);
  const jobs = resolved.map(({ job, result }) => ({
    name: job.name,
    year: job.year,
    squareMetres: areaOfResolved(result).chargedSquareMetres,
    draft: draftInTime(result, requestWarnings(job), checkpoint),
  }));
  const works = listPlannedWorks(catalogue, jobs);
  return {
    kind: 'estimate',
    jobs,
    expectedSeconds: works === null ? null : computeExpectedSeconds(works, ports.concurrency),
    expectedDuration:
      works === null
        ? null
        : expectedDuration(jobs.length, works.filter(isPlanned), ports.concurrency, recent),
    expectedCost:
      works === null ? null : computeExpectedCost(ports, works, requested.webhook !== null),
    wanted: {
      jobs: jobs.length,
      squareMetres: jobs.reduce((sum, job) => sum + job.squareMetres, 0),
    },
    allowance,
  };
}

function toJobSpec(requested: RequestedBatch, { polygon, year, model }: NewJob) {
  return { geometry: jobGeometry(polygon), year, model: model ?? requested.model };
}

class CpuTimeSpent extends Error {}

function checkpointAt(cpuClock: CpuClock, end: number): Checkpoint {
  return () => {
    if (cpuClock() >= end) throw new CpuTimeSpent();
  };
}

/** Returns null if the CPU time is used up before the draft is complete. */
function draftInTime(
  resolved: ResolvedJob,
  requestWarnings: readonly JobWarning[],
  checkpoint: Checkpoint,
): PlanDraft | null {
  if (resolved.kind === 'refused') return resolved;
  try {
    checkpoint();
    return draftPlan(resolved, requestWarnings, checkpoint);
  } catch (error) {
    if (error instanceof CpuTimeSpent) return null;
    throw error;
  }
}

/** Returns null if the draft of any job is null. An element is null if its job ends at planning. */
function listPlannedWorks(
  catalogue: PackCatalogue,
  jobs: readonly JobEstimate[],
): readonly (PlannedWork | null)[] | null {
  if (jobs.some(({ draft }) => draft === null)) return null;
  return jobs.map(({ draft }) => {
    if (draft?.kind !== 'plan') return null;
    const { manifest } = requireDeployedPack(catalogue, draft.plan);
    return {
      pointCounts: draft.plan.blocks.map(({ pointCount }) => pointCount),
      pointsPerSecond: manifest.points_per_second,
      bands: manifest.bands.length,
    };
  });
}

function computeExpectedSeconds(
  works: readonly (PlannedWork | null)[],
  concurrency: Concurrency,
): number {
  return expectedSeconds(works.filter(isPlanned), concurrency);
}

function isPlanned(work: PlannedWork | null): work is PlannedWork {
  return work !== null;
}

function computeExpectedCost(
  ports: EstimatePorts,
  works: readonly (PlannedWork | null)[],
  webhook: boolean,
): BatchCost {
  const jobs = works.map((work) => (work === null ? null : expectedWork(work)));
  return costOfBatch({ jobs, webhook, retentionDays: ports.retentionDays }, ports);
}
