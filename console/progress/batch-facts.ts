import { type BatchStatus, isFinal } from 'soil-batch-client';
import { h } from '../element.ts';
import { duration, durationRange, timeText } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { progressBar } from './progress-bar.ts';

/** State, counts and times of a batch. */
export function factsOf(batch: BatchStatus): readonly HTMLElement[] {
  const left = isFinal(batch) ? null : timeLeft(batch);
  return [
    h('p', {}, TEXTS.progress.states[batch.status]),
    progressBar(batch),
    h(
      'p',
      {},
      TEXTS.progress.counts(batch.completed_jobs, batch.failed_jobs, batch.total_jobs),
      left === null ? null : ` ${left}`,
    ),
    h('p', { class: 'muted' }, TEXTS.progress.expires(timeText(batch.results_expire_at))),
  ];
}

/** The range has the queue and the start in it, the single time only the rate so far. */
function timeLeft(batch: BatchStatus): string | null {
  const { estimated_completion_range: range, estimated_completion_at: at } = batch;
  if (range !== null) {
    const { earliest, latest } = range;
    return TEXTS.progress.left(durationRange(secondsUntil(earliest), secondsUntil(latest)));
  }
  return at === null ? null : TEXTS.progress.left(duration(secondsUntil(at)));
}

function secondsUntil(time: string): number {
  return Math.max(1, (Date.parse(time) - Date.now()) / 1_000);
}
