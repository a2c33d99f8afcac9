import { type Batch, type BatchStatus, isFinal } from 'soil-batch-client';
import { askToConfirm } from '../confirm.ts';
import { button, fill, h } from '../element.ts';
import { explainError } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';

export function cancelButton(batch: Batch, signal: AbortSignal) {
  let unfinished = 0;
  /** Ends the question when the user leaves the page or nothing is left to cancel. */
  const over = new AbortController();
  signal.addEventListener('abort', () => over.abort());
  const status = h('p', { role: 'status', class: 'muted' });
  const error = h('p', { role: 'alert', class: 'error' });
  const cancel = button(TEXTS.progress.cancel, async () => {
    const { cancelQuestion, cancel: agree, keep: refuse } = TEXTS.progress;
    const question = { text: cancelQuestion(unfinished), agree, refuse };
    if (!(await askToConfirm(question, over.signal))) return;
    cancel.disabled = true;
    fill(error);
    fill(status, TEXTS.progress.cancelling);
    try {
      await batch.cancel({ signal });
    } catch (reason) {
      if (signal.aborted) return;
      fill(status);
      fill(error, explainError(reason));
      cancel.disabled = false;
    }
  });
  cancel.hidden = true;
  return {
    element: h('div', { class: 'action' }, cancel, status, error),
    show(now: BatchStatus) {
      unfinished = now.pending_jobs;
      cancel.hidden = isFinal(now);
      if (isFinal(now)) fill(status);
      // Another page or program may have cancelled the batch.
      else if (now.cancel_requested_at !== null) fill(status, TEXTS.progress.cancelling);
      else return;
      cancel.disabled = true;
      over.abort();
    },
  };
}

export function retryButton(batch: Batch, signal: AbortSignal, opened: (batchId: string) => void) {
  const error = h('p', { role: 'alert', class: 'error' });
  const retry = button('', async () => {
    retry.disabled = true;
    fill(error);
    try {
      const { batch: created } = await batch.retry({ only: 'retryable' }, { signal });
      opened(created.id);
    } catch (reason) {
      if (!signal.aborted) fill(error, explainError(reason));
    }
    retry.disabled = false;
  });
  retry.hidden = true;
  /** Jobs that may succeed if retried. A job with a wrong polygon would only be charged again. */
  const retryable = new Set<string>();
  return {
    element: h('div', { class: 'action' }, retry, error),
    /** @param now has the jobs that changed since the last call; the first call has all jobs */
    show(now: BatchStatus) {
      for (const job of now.jobs) if (job.error_retryable === true) retryable.add(job.job_id);
      retry.hidden = !isFinal(now) || retryable.size === 0;
      fill(retry, TEXTS.batch.retry(retryable.size));
    },
  };
}
