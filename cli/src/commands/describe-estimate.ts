import type { RunEstimate } from '../run/estimate-run.ts';
import type { RunPlan } from '../run/plan-run.ts';
import type { CliEvent } from '../terminal/terminal.ts';
import { failureLines, warningLines } from './describe-problems.ts';
import { amount, count, duration, usd } from './numbers.ts';

/** What a run would yield, for people. */
export function estimateLines({ jobs, chunks }: RunPlan, estimate: RunEstimate): readonly string[] {
  const { hectares, seconds, unplanned, usage } = estimate;
  const time = seconds === null ? 'not known yet' : duration(seconds.min, seconds.max);
  const cost =
    estimate.usd === null ? 'not known' : `${usd(estimate.usd)} of AWS usage (${estimate.region})`;
  const left = `${amount(usage.jobs.remaining)} of ${count(usage.jobs.limit, 'job')} and ${amount(usage.hectares.remaining)} of ${amount(usage.hectares.limit)} ha left today`;
  return [
    `Jobs    ${amount(jobs.length)} in ${count(chunks.length, 'batch', 'batches')}`,
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
export function estimateEvent({ jobs, chunks }: RunPlan, estimate: RunEstimate): CliEvent {
  const { hectares, seconds, unplanned, usage } = estimate;
  const failing = estimate.jobs.flatMap((job, index) => {
    const { name, year, error_code, error_message, error_location } = job;
    return error_code === null
      ? []
      : [{ job_index: index, name, year, error_code, error_message, error_location }];
  });
  return {
    event: 'estimate',
    total_jobs: jobs.length,
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
