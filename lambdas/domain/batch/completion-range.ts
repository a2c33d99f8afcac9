import { type RecentTimes, roundsOf, usualRange } from '../admission/batch-times.ts';
import { addSeconds, type Timestamp } from '../clock.ts';
import { type Batch, isFinal } from './batch.ts';
import { estimatedCompletion } from './batch-progress.ts';

export interface CompletionRangePorts {
  readonly recentTimes: Pick<RecentTimes, 'read'>;
  /** Concurrent jobs of a batch. */
  readonly jobsAtOnce: number;
}

/** Between these times most batches such as this one are done. */
export interface CompletionRange {
  readonly earliest: Timestamp;
  readonly latest: Timestamp;
}

/** Estimates the end of a batch from its progress (0 to 1). */
export type CompletionRangeOf = (
  batch: Batch,
  progress: number,
  now: Timestamp,
) => CompletionRange | null;

/** Of batches that are done, or as good as done. */
export const NO_COMPLETION_RANGE: CompletionRangeOf = () => null;

/** Reads how long recent batches took, once for any number of batches. */
export async function completionRanges(ports: CompletionRangePorts): Promise<CompletionRangeOf> {
  const recent = await ports.recentTimes.read();
  if (recent.length === 0) return NO_COMPLETION_RANGE;
  const wait = usualRange(recent.map(({ waitSeconds }) => waitSeconds));
  const round = usualRange(
    recent.map(({ runSeconds, jobs }) => runSeconds / roundsOf(jobs, ports.jobsAtOnce)),
  );

  return (batch, progress, now) => {
    const { createdAt, totalJobs, state } = batch;
    if (isFinal(state) || batch.cancelRequestedAt !== undefined) return null;
    const rounds = roundsOf(totalJobs, ports.jobsAtOnce);
    const run = { low: rounds * round.low, high: rounds * round.high };
    if (progress > 0) {
      const left = 1 - progress;
      const ends = [addSeconds(now, left * run.low), addSeconds(now, left * run.high)];
      return rangeOf(ends, estimatedCompletion(state, progress, now));
    }
    // From fixed times, so that the status of a batch that waits does not change at every poll.
    const start =
      state.status === 'pending'
        ? [addSeconds(createdAt, wait.low), addSeconds(createdAt, wait.high)]
        : [state.startedAt, state.startedAt];
    const [first = now, last = now] = start;
    const range = rangeOf([addSeconds(first, run.low), addSeconds(last, run.high)], null);
    return range.latest < now ? null : range;
  };
}

function rangeOf(ends: readonly Timestamp[], atItsRate: Timestamp | null): CompletionRange {
  const sorted = [...ends, ...(atItsRate === null ? [] : [atItsRate])].sort();
  const [earliest] = sorted;
  const latest = sorted.at(-1);
  if (earliest === undefined || latest === undefined) throw new Error('no end of the batch');
  return { earliest, latest };
}
