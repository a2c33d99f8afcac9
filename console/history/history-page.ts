import type { BatchStatus } from 'soil-batch-client';
import { button, fill, h } from '../element.ts';
import { timeText } from '../numbers.ts';
import { messageOf } from '../state/messages.ts';
import { addressOf } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

/** The batches of the tenant, newest first. */
export function historyPage({ client }: Session): PageView {
  const rows = h('tbody', {});
  const status = h('p', { role: 'status' }, TEXTS.history.waiting);
  const error = h('p', { role: 'alert', class: 'error' });
  let cursor: string | null = null;
  const load = async () => {
    more.disabled = true;
    try {
      const page = await client.listBatches(cursor === null ? {} : { cursor });
      rows.append(...page.batches.map(rowOf));
      cursor = page.next_cursor;
      more.hidden = !page.has_more;
      fill(status, rows.childElementCount === 0 ? TEXTS.history.none : null);
    } catch (reason) {
      fill(status);
      fill(error, messageOf(reason));
    }
    more.disabled = false;
  };
  const more = button(TEXTS.history.more, load);
  more.hidden = true;
  load();
  const titles = [TEXTS.fields.name, TEXTS.progress.state, TEXTS.history.created];
  return {
    title: TEXTS.history.title,
    content: h(
      'div',
      {},
      h('h1', {}, TEXTS.history.title),
      status,
      error,
      h(
        'div',
        { class: 'scroll' },
        h(
          'table',
          { 'aria-label': TEXTS.history.title },
          h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))),
          rows,
        ),
      ),
      more,
    ),
    leave: () => {},
  };
}

function rowOf({ batch_id: batchId, name, status, created_at, ...counts }: BatchStatus) {
  return h(
    'tr',
    {},
    h(
      'td',
      {},
      h('a', { href: addressOf({ page: 'batch', batchId }) }, h('bdi', {}, name ?? batchId)),
    ),
    h(
      'td',
      {},
      TEXTS.progress.states[status],
      ' ',
      TEXTS.progress.counts(counts.completed_jobs, counts.failed_jobs, counts.total_jobs),
    ),
    h('td', {}, timeText(created_at)),
  );
}
