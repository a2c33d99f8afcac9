import { type Batch, type BatchStatus, isFinal } from 'soil-batch-client';
import { button, fill, h } from '../element.ts';
import { messageOf } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';

/** Runs the failed jobs of a final batch again, and opens the new batch. */
export function retryButton(batch: Batch, signal: AbortSignal, opened: (batchId: string) => void) {
  const error = h('p', { role: 'alert', class: 'error' });
  const retry = button('', async () => {
    retry.disabled = true;
    fill(error);
    try {
      const { batch: created } = await batch.retry({}, { signal });
      opened(created.id);
    } catch (reason) {
      if (!signal.aborted) fill(error, messageOf(reason));
    }
    retry.disabled = false;
  });
  retry.hidden = true;
  return {
    element: h('div', { class: 'action' }, retry, error),
    show(now: BatchStatus) {
      retry.hidden = !isFinal(now) || now.failed_jobs === 0;
      fill(retry, TEXTS.batch.retry(now.failed_jobs));
    },
  };
}
