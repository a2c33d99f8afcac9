import type { BatchStatus } from 'soil-batch-client';
import { button, fill, h } from '../element.ts';
import { failureNotice } from '../failure.ts';
import { timeText } from '../numbers.ts';
import { labelOf } from '../progress/batch-label.ts';
import { addressOf } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { type Filter, filterForm } from './filter-form.ts';
import { openForm } from './open-form.ts';

/** How many empty pages are read before the user is asked whether to go on. */
const MOST_PAGES = 20;

/** The batches of the tenant, newest first. */
export function historyPage(session: Session): PageView {
  const { client } = session;
  const rows = h('tbody', {});
  const status = h('p', { role: 'status' });
  let filter: Filter = {};
  let cursor: string | null = null;
  let reading = new AbortController();

  const load = async () => {
    const { signal } = reading;
    more.disabled = true;
    fill(status, TEXTS.history.waiting);
    try {
      const before = rows.childElementCount;
      let pages = 0;
      do {
        const query = cursor === null ? filter : { ...filter, cursor };
        const page = await client.listBatches(query, { signal });
        rows.append(...page.batches.map(rowOf));
        cursor = page.next_cursor ?? null;
        pages++;
        // With a filter, a page may be empty although more follow.
      } while (cursor !== null && rows.childElementCount === before && pages < MOST_PAGES);
      more.hidden = cursor === null;
      const isNone = rows.childElementCount === 0 && cursor === null;
      fill(status, isNone ? TEXTS.history.none : null);
    } catch (reason) {
      if (signal.aborted) return;
      fill(status);
      failure.show(reason);
    }
    more.disabled = false;
  };
  const more = button(TEXTS.history.more, load);
  const failure = failureNotice(load);
  const start = (wanted: Filter) => {
    reading.abort();
    reading = new AbortController();
    filter = wanted;
    cursor = null;
    more.hidden = true;
    failure.clear();
    fill(rows);
    load();
  };
  start({});

  const titles = [TEXTS.fields.name, TEXTS.progress.state, TEXTS.history.created];
  const head = h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)));
  const table = h('table', { 'aria-label': TEXTS.history.title }, h('thead', {}, head), rows);
  return {
    title: TEXTS.history.title,
    content: h(
      'div',
      { class: 'without-map' },
      h('h1', {}, TEXTS.history.title),
      openForm(session),
      filterForm(start),
      failure.element,
      h('div', { class: 'scroll' }, table),
      status,
      more,
    ),
    leave: () => reading.abort(),
  };
}

function rowOf(batch: BatchStatus) {
  const { batch_id: batchId, status, created_at } = batch;
  const address = addressOf({ page: 'batch', batchId });
  return h(
    'tr',
    {},
    h('td', {}, h('a', { href: address }, labelOf(batch))),
    h(
      'td',
      {},
      h('span', { class: `state ${status}` }, TEXTS.history.statuses[status]),
      h(
        'div',
        { class: 'muted' },
        TEXTS.progress.counts(batch.completed_jobs, batch.failed_jobs, batch.total_jobs),
      ),
    ),
    h('td', {}, timeText(created_at)),
  );
}
