import type { Job } from 'soil-batch-client';
import { button, fill, h, listen } from '../element.ts';
import { TEXTS } from '../texts.ts';
import {
  chosenJobs,
  intervalText,
  JOB_COLUMNS,
  type JobColumn,
  type JobOrder,
  meanText,
  nameOf,
  stockText,
} from './job-columns.ts';
import { rowWindow } from './row-window.ts';

export interface JobTableEvents {
  readonly addressOfJob: (job: Job) => string;
  readonly select: (index: number) => void;
}

/** The jobs, to search and sort. Only the rows in view are in the page. */
export function jobTable({ addressOfJob, select }: JobTableEvents) {
  let all: readonly Job[] = [];
  let shown: readonly Job[] = [];
  let order: JobOrder | null = null;
  let selected: number | null = null;

  const rowOf = (job: Job): HTMLTableRowElement => {
    const name = nameOf(job);
    const label = h('bdi', {}, name);
    const link = job.status === 'completed' ? h('a', { href: addressOfJob(job) }, label) : label;
    const details = button(TEXTS.progress.details, () => select(job.job_index), {
      class: 'quiet',
      'aria-label': TEXTS.progress.detailsOf(name),
      'aria-pressed': String(job.job_index === selected),
    });
    const values = [meanText(job), intervalText(job), stockText(job)];
    return h(
      'tr',
      {},
      h('td', {}, link),
      h(
        'td',
        // A reason needs the room, and a failed job has no values.
        { colspan: job.error_message === null ? 1 : 1 + values.length },
        h('span', { class: `state ${job.status}` }, TEXTS.progress.jobStates[job.status]),
        job.error_message === null ? null : h('div', { class: 'error' }, job.error_message),
      ),
      job.error_message === null ? values.map((text) => h('td', { class: 'amount' }, text)) : null,
      h('td', {}, details),
    );
  };

  const found = h('p', { role: 'status', class: 'muted' });
  const search = h('input', { id: 'search-jobs', type: 'search', autocomplete: 'off' });
  const titles = JOB_COLUMNS.map((column) => {
    const title = h('th', { scope: 'col' });
    title.append(button(column.title, () => sortBy(column), { class: 'quiet' }));
    return title;
  });
  const rows = rowWindow((at) => {
    const job = shown[at];
    return job === undefined ? null : rowOf(job);
  });
  const table = h(
    'table',
    { 'aria-label': TEXTS.progress.jobs },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...titles,
        h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, TEXTS.progress.details)),
      ),
    ),
    rows.body,
  );
  const frame = h('div', { class: 'scroll jobs' }, table);
  rows.follow(frame);

  const arrange = () => {
    shown = chosenJobs(all, search.value, order);
    table.setAttribute('aria-rowcount', String(shown.length + 1));
    fill(found, search.value === '' ? null : TEXTS.progress.found(shown.length, all.length));
    rows.show(shown.length);
  };
  const sortBy = (column: JobColumn) => {
    const again = order?.column === column;
    // A third press brings back the order of the request.
    order = again && order?.descending === true ? null : { column, descending: again };
    titles.forEach((title, at) => {
      const isOrder = order !== null && JOB_COLUMNS[at] === order.column;
      if (isOrder) title.ariaSort = order?.descending === true ? 'descending' : 'ascending';
      else title.removeAttribute('aria-sort');
    });
    arrange();
  };
  listen(search, { input: arrange });

  const placeOf = (index: number) => shown.findIndex((job) => job.job_index === index);
  const element = h(
    'div',
    { hidden: true },
    h('p', { class: 'search' }, h('label', { for: 'search-jobs' }, TEXTS.progress.search, search)),
    found,
    frame,
  );
  return {
    element,
    show(jobs: readonly Job[]) {
      all = jobs;
      element.hidden = jobs.length === 0;
      arrange();
    },
    mark(index: number | null) {
      selected = index;
      rows.show(shown.length);
      if (index !== null) rows.reveal(placeOf(index));
    },
    focus(index: number) {
      rows.reveal(placeOf(index))?.querySelector('button')?.focus();
    },
  };
}
