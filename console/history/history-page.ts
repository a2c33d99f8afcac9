import type { BatchStatus } from 'soil-batch-client';
import { button, fill, h, listen } from '../element.ts';
import { failureNotice } from '../failure.ts';
import { formatTime } from '../numbers.ts';
import { labelOf } from '../progress/batch-facts.ts';
import { formatAddress, type Route, UUID } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { type Filter, filterForm } from './filter-form.ts';

/** How many pages without a matching batch are read before the user must choose to continue. */
const MOST_PAGES = 20;

const EVERY: Filter = { query: {}, part: '' };

export function historyPage(session: Session): PageView {
  const { client } = session;
  const rows = h('tbody', {});
  const status = h('p', { role: 'status' });
  let filter: Filter = EVERY;
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
        const query = cursor === null ? filter.query : { ...filter.query, cursor };
        const page = await client.listBatches(query, { signal });
        const found = page.batches.filter((batch) => isNamed(batch, filter.part));
        rows.append(...found.map(buildRow));
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
  start(EVERY);

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

function isNamed({ name }: BatchStatus, part: string): boolean {
  return part === '' || name?.toLowerCase().includes(part) === true;
}

function buildRow(batch: BatchStatus) {
  const { batch_id: batchId, status, created_at } = batch;
  const address = formatAddress({ page: 'batch', batchId });
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
    h('td', {}, formatTime(created_at)),
  );
}

function openForm({ go }: Session): HTMLElement {
  const input = h('input', {
    id: 'address',
    autocomplete: 'off',
    'aria-describedby': 'address-error',
  });
  const error = h('p', { id: 'address-error', role: 'alert', class: 'error' });
  const form = h(
    'form',
    {},
    h(
      'div',
      { class: 'row' },
      h('label', { for: 'address' }, TEXTS.history.openLabel, input),
      h('button', { type: 'submit' }, TEXTS.history.open),
    ),
    error,
  );
  return listen(form, {
    submit: (event) => {
      event.preventDefault();
      const route = routeOfPasted(input.value);
      fill(error, route === null ? TEXTS.history.noId : null);
      if (route !== null) go(route);
    },
  });
}

const UUIDS = new RegExp(UUID, 'gi');

/** Accepts an ID, or a URL of the API or of this console. */
function routeOfPasted(text: string): Route | null {
  const [batchId, jobId] = (text.match(UUIDS) ?? []).map((id) => id.toLowerCase());
  if (batchId === undefined) return null;
  return jobId === undefined ? { page: 'batch', batchId } : { page: 'result', batchId, jobId };
}
