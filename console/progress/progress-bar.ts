import type { BatchStatus } from 'soil-batch-client';
import { h } from '../element.ts';
import { TEXTS } from '../texts.ts';

/** How far a batch is: completed and failed jobs, and what is done of those that run. */
export function progressBar(batch: BatchStatus): HTMLElement {
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
    part('completed', completed / total),
    part('failed', failed / total),
    part('processing', Math.max(0, progress - finished)),
  );
}

function part(state: string, share: number): HTMLElement {
  const element = h('span', { class: state });
  // The content policy forbids styles in markup only.
  element.style.width = `${share * 100}%`;
  return element;
}
