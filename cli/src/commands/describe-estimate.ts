import type { RunEstimate } from '../run/estimate-run.ts';
import type { RunPlan } from '../run/plan-run.ts';
import { mapsOf, type RunMap } from '../run/same-maps.ts';
import type { CliEvent } from '../terminal/terminal.ts';
import { failureLines, warningLines } from './describe-problems.ts';
import { amount, count, duration, usd } from './numbers.ts';

/** Files that are named of those that no job has any more. */
const NAMED_FILES = 3;

/** How the folder's run differs from the request. */
export function changeLines(jobs: {
  readonly submit: number;
  readonly kept: number;
  readonly expired: number;
  /** Files of maps whose job the run no longer has. */
  readonly left: readonly string[];
}): readonly string[] {
  const expired = `${count(jobs.expired, 'result')} expired before being downloaded.`;
  return [
    ...(jobs.expired > 0 ? [expired] : []),
    `Of the folder's run ${count(jobs.kept, 'job')} ${jobs.kept === 1 ? 'stays' : 'stay'}; ${amount(jobs.submit)} to submit.`,
    ...(jobs.left.length > 0 ? [leftLine(jobs.left)] : []),
  ];
}

function leftLine(files: readonly string[]): string {
  const named = files.slice(0, NAMED_FILES).join(', ');
  const more = files.length > NAMED_FILES ? `, ${amount(files.length - NAMED_FILES)} more` : '';
  const stay = files.length === 1 ? 'stays' : 'stay';
  return `${count(files.length, 'map')} of polygons that the file no longer has ${stay} in the folder, in no table or total: ${named}${more}`;
}

/** What a run would yield, for people. */
export function estimateLines(
  { jobs, submit, chunks }: RunPlan,
  estimate: RunEstimate,
  told: Set<string>,
) {
  const { hectares, seconds, unplanned, usage } = estimate;
  const time = seconds === null ? 'not known yet' : duration(seconds.min, seconds.max);
  const cost =
    estimate.usd === null ? 'not known' : `${usd(estimate.usd)} of AWS usage (${estimate.region})`;
  const left = `${amount(usage.jobs.remaining)} of ${count(usage.jobs.limit, 'job')} and ${amount(usage.hectares.remaining)} of ${amount(usage.hectares.limit)} ha left today`;
  return [
    `Jobs    ${amount(submit.length)} in ${count(chunks.length, 'batch', 'batches')}`,
    ...mapLines(mapsOf(jobs, estimate.jobs)),
    `Area    ${amount(hectares)} ha`,
    `Time    ${time}`,
    `Cost    ${cost}`,
    `Quota   ${left}${estimate.fitsToday ? '' : ': not enough; the rest waits for tomorrow'}`,
    ...(unplanned === 0 ? [] : [`${count(unplanned, 'job')} could not be checked in time.`]),
    ...warningLines(estimate.jobs, told),
    ...failureLines('would fail', estimate.jobs),
  ];
}

/** The data behind the maps, with the years that have them. */
function mapLines(maps: readonly RunMap[]): readonly string[] {
  const lines = maps.slice(0, LISTED_MAPS).map(mapText);
  const more = maps.length - lines.length;
  const all = more > 0 ? [...lines, `and ${count(more, 'more map')}`] : lines;
  return all.map((line, i) => `${i === 0 ? 'Maps  ' : '      '}  ${line}`);
}

const LISTED_MAPS = 5;

function mapText({ model, dataPeriod, years }: RunMap): string {
  return `${model}, data of ${dataPeriod.join('–')}, for ${years.join(', ')}`;
}

/** Why a run is not started, if it would pay for maps that other years have already; null otherwise. */
export function repeatedMapsProblem(maps: readonly RunMap[]): string | null {
  const repeated = maps.filter((map) => map.repeated > 0);
  const jobs = repeated.reduce((sum, map) => sum + map.repeated, 0);
  if (jobs === 0) return null;
  return `Some years give the same map: ${repeated.map(mapText).join('; ')}. ${count(jobs, 'job')} would be charged for nothing. Name one year for each map, or add --same-maps to submit all.`;
}

/** What a run would yield, for programs. */
export function estimateEvent({ jobs, submit, chunks }: RunPlan, estimate: RunEstimate): CliEvent {
  const { hectares, seconds, unplanned, usage } = estimate;
  const failing = estimate.jobs.flatMap((job) => {
    const { index, name, year, error_code, error_message, error_location } = job;
    return error_code === null
      ? []
      : [{ job_index: index, name, year, error_code, error_message, error_location }];
  });
  return {
    event: 'estimate',
    total_jobs: submit.length,
    batches: chunks.length,
    hectares,
    min_seconds: seconds?.min ?? null,
    max_seconds: seconds?.max ?? null,
    usd: estimate.usd,
    region: estimate.region,
    unplanned_jobs: unplanned,
    failing_jobs: failing,
    warnings: estimate.jobs.flatMap(({ index, name, year, warnings }) =>
      warnings.map((warning) => ({ job_index: index, name, year, ...warning })),
    ),
    maps: mapsOf(jobs, estimate.jobs).map(({ dataPeriod, repeated, ...map }) => ({
      ...map,
      data_period: dataPeriod,
      repeated_jobs: repeated,
    })),
    quota: {
      fits: estimate.fitsToday,
      jobs_remaining: usage.jobs.remaining,
      hectares_remaining: usage.hectares.remaining,
      resets_at: usage.resets_at,
    },
  };
}
