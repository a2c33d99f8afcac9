import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import type { BatchOrder, JobOrder } from '../batch/batch-order.ts';
import { type Clock, timestamp } from '../clock.ts';
import { draftPlan, type PlanDraft } from '../job/draft-plan.ts';
import { placeJob } from '../job/place-job.ts';
import { LIMITS } from '../limits.ts';
import { admit, type Violation } from './admit.ts';
import { chargeOf } from './charged-area.ts';
import { type Concurrency, expectedSeconds, type JobWork } from './expected-time.ts';
import { type Allowance, type Amount, dayOf } from './quota.ts';
import { type StandingPorts, standingOn } from './standing.ts';

export interface EstimatePorts extends StandingPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly clock: Clock;
  readonly concurrency: Concurrency;
}

export interface JobEstimate {
  readonly name: string | null;
  readonly year: number;
  /** What the job would take of the quota. */
  readonly squareMetres: number;
  /** Null when the time was up before its turn; see `LIMITS.estimateSeconds`. */
  readonly draft: PlanDraft | null;
}

export interface Estimate {
  readonly kind: 'estimate';
  readonly jobs: readonly JobEstimate[];
  /** Of prediction alone; null when a job was not planned. */
  readonly expectedSeconds: number | null;
  /** What the batch would take of the quota, and what there is of it now. */
  readonly wanted: Amount;
  readonly allowance: Allowance;
}

/** What a creation of this order would meet. Nothing is stored or taken. */
export async function estimateBatch(
  ports: EstimatePorts,
  tenant: string,
  order: BatchOrder,
): Promise<Estimate | { readonly kind: 'refused'; readonly violations: readonly Violation[] }> {
  const { entries } = order.jobs;
  const violations = admit({
    tenant,
    jobs: entries.length,
    metadataBytes: order.metadata === null ? null : Buffer.byteLength(order.metadata, 'utf8'),
  });
  if (violations.length > 0) return { kind: 'refused', violations };

  const startedAt = ports.clock();
  const [catalogue, { limits, allowance }] = await Promise.all([
    ports.catalogue(),
    standingOn(ports, tenant, dayOf(timestamp(startedAt))),
  ]);
  const end = startedAt.getTime() + LIMITS.estimateSeconds * 1_000;
  // All areas first, as a creation takes them: the quota's part is whole, whatever the time allows.
  const { hectaresPerJob } = limits;
  const placed = entries.map((job) => ({
    job,
    place: placeJob(catalogue, { ...asked(order, job), hectaresPerJob }),
  }));
  const jobs = placed.map(({ job: { name, year }, place }) => ({
    name,
    year,
    squareMetres: chargeOf(place),
    draft:
      place.kind === 'refused' || ports.clock().getTime() < end
        ? draftPlan(catalogue, place)
        : null,
  }));
  return {
    kind: 'estimate',
    jobs,
    expectedSeconds: timeOf(catalogue, jobs, ports.concurrency),
    wanted: {
      jobs: jobs.length,
      squareMetres: jobs.reduce((sum, job) => sum + job.squareMetres, 0),
    },
    allowance,
  };
}

function asked(order: BatchOrder, { polygon, year, model }: JobOrder) {
  return { polygon, year, model: model ?? order.model };
}

function timeOf(
  catalogue: PackCatalogue,
  jobs: readonly JobEstimate[],
  concurrency: Concurrency,
): number | null {
  if (jobs.some(({ draft }) => draft === null)) return null;
  const works = jobs.flatMap(({ draft }): JobWork[] => {
    if (draft?.kind !== 'plan') return [];
    const pack = catalogue.find(draft.plan.model);
    if (pack === undefined) return [];
    const pointCounts = draft.plan.blocks.map(({ pointCount }) => pointCount);
    return [{ pointCounts, pointsPerSecond: pack.manifest.points_per_second }];
  });
  return expectedSeconds(works, concurrency);
}
