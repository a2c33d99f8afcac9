import type { BatchState, ListBatchesQuery } from 'soil-batch-client';
import { h, listen } from '../element.ts';
import { TEXTS } from '../texts.ts';

export interface Filter {
  readonly query: Pick<ListBatchesQuery, 'status' | 'created_after' | 'created_before'>;
  /** A part of the name, in lower case. The API itself finds only whole names. */
  readonly part: string;
}

const STATES: readonly BatchState[] = ['pending', 'processing', 'completed', 'failed', 'partial'];

export function filterForm(filter: (wanted: Filter) => void): HTMLElement {
  const status = h(
    'select',
    { id: 'status' },
    h('option', { value: '' }, TEXTS.history.anyStatus),
    ...STATES.map((state) => h('option', { value: state }, TEXTS.history.statuses[state])),
  );
  const name = h('input', { id: 'name', autocomplete: 'off' });
  const from = h('input', { id: 'from', type: 'date' });
  const until = h('input', { id: 'until', type: 'date' });
  const form = h(
    'form',
    {},
    h(
      'div',
      { class: 'row' },
      h('label', { for: 'status' }, TEXTS.history.status, status),
      h('label', { for: 'name' }, TEXTS.history.name, name),
      h('label', { for: 'from' }, TEXTS.history.from, from),
      h('label', { for: 'until' }, TEXTS.history.until, until),
      h('button', { type: 'submit' }, TEXTS.history.filter),
    ),
  );
  return listen(form, {
    submit: (event) => {
      event.preventDefault();
      const wanted = STATES.find((state) => state === status.value);
      filter({
        part: name.value.trim().toLowerCase(),
        query: {
          ...(wanted === undefined ? {} : { status: wanted }),
          ...(from.value === '' ? {} : { created_after: formatStartOfDay(from.value, 0) }),
          ...(until.value === '' ? {} : { created_before: formatStartOfDay(until.value, 1) }),
        },
      });
    },
  });
}

/** The start of a day in the user's time zone. */
function formatStartOfDay(day: string, daysLater: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}
