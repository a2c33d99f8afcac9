import { type Html, html } from '#engine/markup/html.ts';
import type { BatchSummary } from '../domain/dashboard/running-batches.ts';

/**
 * Finished jobs by outcome, then the progress of running ones. Its filled length is the progress in the
 * batch status.
 */
export function progressBar({ counts, progress }: BatchSummary, size: 'tall' | '' = ''): Html {
  const failed = counts.failed / counts.total;
  const completed = counts.completed / counts.total;
  const running = Math.max(0, progress - failed - completed);
  const part = (state: string, share: number) =>
    share > 0 ? html`<i class="${state}" style="width:${(share * 100).toFixed(2)}%"></i>` : null;
  return html`<div class="bar ${size}">${[
    part('completed', completed),
    part('failed', failed),
    part('processing', running),
  ]}</div>`;
}

/** The same for a job's patch-batches. */
export function jobBar(completed: number, total: number): Html {
  const share = total === 0 ? 0 : (completed / total) * 100;
  return html`<div class="bar"><i class="processing" style="width:${share.toFixed(2)}%"></i></div>`;
}
