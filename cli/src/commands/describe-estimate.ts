import type { RunEstimate } from '../run/estimate-run.ts';
import type { RunPlan } from '../run/plan-run.ts';
import type { CliEvent } from '../terminal/terminal.ts';
import { failureLines, warningLines } from './describe-problems.ts';
import { amount, count, duration, usd } from './numbers.ts';

/** How the folder's run differs from the request. */
export function changeLines(jobs: {
  readonly submit: number;
  readonly kept: number;
  readonly expired: number;
}): readonly string[] {
  const expired = `${count(jobs.expired, 'result')} expired before being downloaded.`;
  return [
    ...(jobs.expired > 0 ? [expired] : []),
    `Of the folder's run ${count(jobs.kept, 'job')} ${jobs.kept === 1 ? 'stays' : 'stay'}; ${amount(jobs.submit)} to submit.`,
  ];
}

/** What a run would yield, for people. */
export function estimateLines({ submit, chunks }: RunPlan, estimate: RunEstimate) {
  const { hectares, seconds, unplanned, usage } = estimate;
  const time = seconds === null ? 'not known yet' : duration(seconds.min, seconds.max);
  const cost =
    estimate.usd === null ? 'not known' : `${usd(estimate.usd)} of AWS usage (${estimate.region})`;
  const left = `${amount(usage.jobs.remaining)} of ${count(usage.jobs.limit, 'job')} and ${amount(usage.hectares.remaining)} of ${amount(usage.hectares.limit)} ha left today`;
  return [
    `Jobs    ${amount(submit.length)} in ${count(chunks.length, 'batch', 'batches')}`,
    `Area    ${amount(hectares)} ha`,
    `Time    ${time}`,
    `Cost    ${cost}`,
    `Quota   ${left}${estimate.fitsToday ? '' : ': not enough; the rest waits for tomorrow'}`,
    ...(unplanned === 0 ? [] : [`${count(unplanned, 'job')} could not be checked in time.`]),
    ...warningLines(estimate.jobs),
    ...failureLines('would fail', estimate.jobs),
  ];
}

/** What a run would yield, for programs. */
export function estimateEvent({ submit, chunks }: RunPlan, estimate: RunEstimate): CliEvent {
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
    quota: {
      fits: estimate.fitsToday,
      jobs_remaining: usage.jobs.remaining,
      hectares_remaining: usage.hectares.remaining,
      resets_at: usage.resets_at,
    },
  };
}
