import { createComparisonBudget, findOverlaps, type Overlap } from '#engine/geometry/overlap.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { NUMBERS_PER_NODE } from '#engine/raster/summary/coarse-nodes.ts';
import { createPairBudget, type PairBudget } from '#engine/raster/summary/sum-between-jobs.ts';
import type { JobId } from '../identity.ts';
import type { JobModel, JobWarning } from '../job/job.ts';
import type { JobReference } from '../job/requested-job.ts';
import type { PredictionErrors } from './prediction-errors.ts';
import { computeTotal, type SummedJob, type Total } from './total.ts';

export interface CompletedJob extends SummedJob, JobReference {
  readonly jobId: JobId;
  readonly name: string | null;
  readonly year: number;
  readonly model: JobModel;
  readonly polygon: MultiPolygonRings;
  /** The value of the property that names the strata; null if the job has none. */
  readonly stratum: string | null;
  readonly warnings: readonly JobWarning['code'][];
}

/** The total of some jobs with the same model and data period. */
export interface JobsTotal {
  readonly jobs: readonly CompletedJob[];
  readonly total: Total;
  /** Null if there are too many pairs of jobs to compare. */
  readonly overlaps: readonly Overlap[] | null;
  /** Null if there is an interval. */
  readonly missing: MissingInterval | null;
}

/** The total of all jobs with the same model and data period; if fields occur with several years, of one year's jobs. */
export interface ModelTotal extends JobsTotal {
  readonly model: JobModel;
  /** Empty unless requested. */
  readonly strata: readonly StratumTotal[];
}

export interface StratumTotal extends JobsTotal {
  readonly value: string | null;
}

export type MissingInterval =
  /** The mean of a job has no interval. */
  | { readonly kind: 'no-correlation' }
  /** The errors are joined only when a batch is finished. */
  | { readonly kind: 'unfinished' }
  /** The jobs have too many nodes of errors, or too many pairs of nodes. */
  | { readonly kind: 'too-many' };

/** As a share of the jobs' area. Overlaps along borders that were drawn twice by hand are smaller. */
const TOLERATED_OVERLAP = 0.001;

/** @param hasStrata whether each total is also split by the strata of its jobs */
export function modelTotals(
  jobs: readonly CompletedJob[],
  hasStrata: boolean,
): readonly ModelTotal[] {
  const groups = groupBy(jobs, ({ model }) => [model.id, ...model.data_period].join(' '));
  const budget = createComparisonBudget();
  const pairs = createPairBudget();
  const sumJobs = (group: readonly CompletedJob[], overlaps: readonly Overlap[] | null) =>
    modelTotal(group, overlaps, pairs, hasStrata);
  return groups.flatMap((group) => {
    const overlaps = findOverlaps(
      group.map(({ polygon }) => polygon),
      budget,
    );
    if (!hasFieldsOfSeveralYears(group, overlaps)) return sumJobs(group, overlaps);
    const years = groupBy(group, ({ year }) => String(year));
    const within = overlapsWithin(years, group, overlaps);
    return years.flatMap((ofYear, i) => sumJobs(ofYear, within?.[i] ?? null));
  });
}

/** Null if overlaps are unknown. */
function overlapsWithin(
  parts: readonly (readonly CompletedJob[])[],
  jobs: readonly CompletedJob[],
  overlaps: readonly Overlap[] | null,
): readonly (readonly Overlap[])[] | null {
  if (overlaps === null) return null;
  const places = new Map(
    parts.flatMap((group, part) => group.map(({ jobId }, at) => [jobId, { part, at }] as const)),
  );
  const within = parts.map((): Overlap[] => []);
  for (const { pair, hectares } of overlaps) {
    const [a, b] = pair.map((index) => places.get(jobs[index]?.jobId ?? ''));
    if (a === undefined || b === undefined || a.part !== b.part) continue;
    within[a.part]?.push({ pair: [a.at, b.at], hectares });
  }
  return within;
}

/**
 * Whether a field occurs with several years, or may do so because overlaps are unknown. A model with one map for
 * several years gives the field the same map each time, so the field must not count twice.
 */
function hasFieldsOfSeveralYears(
  jobs: readonly CompletedJob[],
  overlaps: readonly Overlap[] | null,
): boolean {
  if (new Set(jobs.map(({ year }) => year)).size === 1) return false;
  if (overlaps === null) return true;
  const shared = overlaps.filter(({ pair: [a, b] }) => jobs[a]?.year !== jobs[b]?.year);
  return isWorthMentioning(shared, jobs);
}

/** Whether the jobs overlap by a larger share of their area than shared borders may. */
export function isWorthMentioning(
  overlaps: readonly Overlap[],
  jobs: readonly CompletedJob[],
): boolean {
  const hectares = jobs.reduce((sum, { summary }) => sum + summary.area_ha, 0);
  return sumOf(overlaps) > hectares * TOLERATED_OVERLAP;
}

export function sumOf(overlaps: readonly Overlap[]): number {
  return overlaps.reduce((sum, { hectares }) => sum + hectares, 0);
}

function modelTotal(
  jobs: readonly CompletedJob[],
  overlaps: readonly Overlap[] | null,
  pairs: PairBudget,
  hasStrata: boolean,
): readonly ModelTotal[] {
  const [first] = jobs;
  const found = jobsTotal(jobs, overlaps, pairs);
  if (found === null || first === undefined) return [];
  const strata = hasStrata ? groupBy(jobs, ({ stratum }) => JSON.stringify(stratum)) : [];
  const within = overlapsWithin(strata, jobs, overlaps);
  return [
    {
      ...found,
      model: first.model,
      strata: strata.flatMap((group, i) => {
        const total = jobsTotal(group, within?.[i] ?? null, pairs);
        return total === null ? [] : [{ ...total, value: group[0]?.stratum ?? null }];
      }),
    },
  ];
}

function jobsTotal(
  jobs: readonly CompletedJob[],
  overlaps: readonly Overlap[] | null,
  pairs: PairBudget,
): JobsTotal | null {
  const why = missingInterval(jobs);
  const total = computeTotal(jobs, overlaps ?? [], why === null ? pairs : null);
  const missing = why ?? (total?.interval === null ? TOO_MANY : null);
  return total === null ? null : { jobs, total, overlaps, missing };
}

function missingInterval(jobs: readonly CompletedJob[]): MissingInterval | null {
  if (jobs.some(({ summary }) => summary.level === null)) return { kind: 'no-correlation' };
  if (jobs.some(({ errors }) => errors === null)) return { kind: 'unfinished' };
  const nodes = jobs.reduce((sum, { errors }) => sum + nodesIn(errors), 0);
  return nodes > MAX_NODES ? TOO_MANY : null;
}

const TOO_MANY: MissingInterval = { kind: 'too-many' };

/** In all jobs of a total, which bounds the memory of the tree of these nodes. */
const MAX_NODES = 1_000_000;

function nodesIn(errors: PredictionErrors | null): number {
  return (errors?.nodes?.values.length ?? 0) / NUMBERS_PER_NODE;
}

export function groupBy<Member>(
  members: readonly Member[],
  keyOf: (member: Member) => string,
): readonly (readonly Member[])[] {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const group = groups.get(keyOf(member));
    if (group === undefined) groups.set(keyOf(member), [member]);
    else group.push(member);
  }
  return [...groups.values()];
}
