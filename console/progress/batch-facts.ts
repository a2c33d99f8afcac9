import { type BatchStatus, isFinal } from 'soil-batch-client';
import { type Child, h } from '../element.ts';
import { formatDuration, formatDurationRange, formatTime } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

/** The batch's name or, if it has none, its number of fields and creation time. */
export function labelOf({
  name,
  total_jobs: jobs,
  created_at: created,
}: Pick<BatchStatus, 'name' | 'total_jobs' | 'created_at'>): Child {
  return name === null ? TEXTS.progress.unnamed(jobs, formatTime(created)) : h('bdi', {}, name);
}

export function factsOf(batch: BatchStatus): readonly HTMLElement[] {
  const left = isFinal(batch) ? null : formatTimeLeft(batch);
  return [
    h('p', {}, TEXTS.progress.states[batch.status]),
    progressBar(batch),
    h(
      'p',
      {},
      TEXTS.progress.counts(batch.completed_jobs, batch.failed_jobs, batch.total_jobs),
      left === null ? null : ` ${left}`,
    ),
    h('p', { class: 'muted' }, TEXTS.progress.expires(formatTime(batch.results_expire_at))),
  ];
}

/** The range is preferred, because it includes waiting and starting; the single time uses only the rate so far. */
function formatTimeLeft(batch: BatchStatus): string | null {
  const { estimated_completion_range: range, estimated_completion_at: at } = batch;
  if (range !== null) {
    const { earliest, latest } = range;
    return TEXTS.progress.left(formatDurationRange(secondsUntil(earliest), secondsUntil(latest)));
  }
  return at === null ? null : TEXTS.progress.left(formatDuration(secondsUntil(at)));
}

function secondsUntil(time: string): number {
  return Math.max(1, (Date.parse(time) - Date.now()) / 1_000);
}

function progressBar(batch: BatchStatus): HTMLElement {
  const { completed_jobs: completed, failed_jobs: failed, total_jobs: total, progress } = batch;
  const finished = (completed + failed) / total;
  const percent = Math.floor(progress * 100);
  return h(
    'div',
    {
      class: 'progress',
      role: 'progressbar',
      'aria-label': TEXTS.progress.label,
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      'aria-valuenow': percent,
      'aria-valuetext': TEXTS.progress.percent(percent, failed),
    },
    buildPart('completed', completed / total),
    buildPart('failed', failed / total),
    buildPart('processing', Math.max(0, progress - finished)),
  );
}

function buildPart(state: string, share: number): HTMLElement {
  const element = h('span', { class: state });
  // The content policy forbids styles in markup, but not those that a script sets.
  element.style.width = `${share * 100}%`;
  return element;
}
