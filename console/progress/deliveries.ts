import { type Batch, type BatchStatus, type Deliveries, isFinal } from 'soil-batch-client';
import { button, type Child, fill, h, listen } from '../element.ts';
import { failureNotice } from '../failure.ts';
import { formatTime, formatWhole } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

/** How often the log is read while an attempt is due and the log is open. */
const POLL_MS = 5_000;

export function deliveryLog(batch: Batch, signal: AbortSignal) {
  const body = h('div', { 'aria-live': 'polite' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const redeliver = button(TEXTS.batch.redeliver, () => read(batch.redeliver({ signal })));
  redeliver.hidden = true;
  const read = async (response: Promise<Deliveries>) => {
    clearTimeout(timer);
    redeliver.disabled = true;
    try {
      const log = await response;
      failure.clear();
      fill(body, buildContent(log));
      redeliver.hidden = log.state === null;
      if (log.state === 'due' && element.open) {
        timer = setTimeout(() => read(batch.deliveries({ signal })), POLL_MS);
      }
    } catch (reason) {
      if (!signal.aborted) failure.show(reason);
    }
    redeliver.disabled = false;
  };
  const open = () => read(batch.deliveries({ signal }));
  const failure = failureNotice(open);
  const element = listen(
    h(
      'details',
      { hidden: true },
      h('summary', {}, TEXTS.batch.deliveries),
      body,
      failure.element,
      redeliver,
    ),
    {
      toggle: () => {
        clearTimeout(timer);
        if (element.open) open();
      },
    },
  );
  return {
    element,
    /** The webhook is sent when the batch is final. */
    show(now: BatchStatus) {
      element.hidden = !isFinal(now);
    },
  };
}

function buildContent({ state, next_attempt_at: next, attempts }: Deliveries): readonly Child[] {
  if (state === null) return [h('p', {}, TEXTS.batch.noWebhook)];
  const titles = [TEXTS.batch.started, TEXTS.batch.outcome, TEXTS.batch.duration];
  const rows = attempts.map((attempt) =>
    h(
      'tr',
      {},
      h('td', {}, formatTime(attempt.started_at)),
      h(
        'td',
        {},
        TEXTS.batch.outcomes[attempt.outcome],
        h('div', { class: 'muted' }, h('bdi', {}, attempt.reason)),
      ),
      h('td', {}, TEXTS.job.milliseconds(formatWhole(attempt.duration_ms))),
    ),
  );
  return [
    h(
      'p',
      {},
      TEXTS.batch.states[state],
      next === null ? null : ` ${TEXTS.batch.next(formatTime(next))}`,
    ),
    attempts.length === 0
      ? null
      : h(
          'div',
          { class: 'scroll' },
          h(
            'table',
            { 'aria-label': TEXTS.batch.deliveries },
            h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))),
            h('tbody', {}, ...rows),
          ),
        ),
  ];
}
