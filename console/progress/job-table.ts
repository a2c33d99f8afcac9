import type { Job } from 'soil-batch-client';
import { button, type Child, fill, h, listen } from '../element.ts';
import { NARROW } from '../media.ts';
import { rowWindow } from '../row-window.ts';
import { TEXTS } from '../texts.ts';
import { chooseJobs, JOB_COLUMNS, type JobColumn, type JobOrder, nameOf } from './job-columns.ts';

export interface JobTableEvents {
  readonly addressOfJob: (job: Job) => string;
  readonly select: (index: number) => void;
}

export function jobTable(events: JobTableEvents, signal: AbortSignal) {
  let all: readonly Job[] = [];
  let shown: readonly Job[] = [];
  let order: JobOrder | null = null;
  let selected: number | null = null;

  const found = h('p', { role: 'status', class: 'muted' });
  const search = h('input', { id: 'search-jobs', type: 'search', autocomplete: 'off' });
  const titles = columnTitles(sortBy);
  const rows = rowWindow((at) => {
    const job = shown[at];
    return job === undefined ? null : buildRow(job, job.job_index === selected, events);
  });
  const table = h(
    'table',
    { 'aria-label': TEXTS.progress.jobs },
    h('thead', {}, titles.row),
    rows.body,
  );
  const frame = h('div', { class: 'scroll windowed jobs' }, table);
  rows.follow(frame);

  const arrange = () => {
    shown = chooseJobs(all, search.value, order);
    table.setAttribute('aria-rowcount', String(shown.length + 1));
    fill(found, search.value === '' ? null : TEXTS.progress.found(shown.length, all.length));
    rows.show(shown.length);
  };
  function sortBy(column: JobColumn) {
    const again = order?.column === column;
    // A third press restores the order of the request.
    order = again && order?.descending === true ? null : { column, descending: again };
    titles.show(order);
    titles.focus(column);
    arrange();
  }
  titles.show(order);
  NARROW.addEventListener(
    'change',
    () => {
      titles.show(order);
      arrange();
    },
    { signal },
  );
  listen(search, { input: arrange });

  const findPlace = (index: number) => shown.findIndex((job) => job.job_index === index);
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
      if (index !== null) rows.reveal(findPlace(index));
    },
    focus(index: number) {
      rows.reveal(findPlace(index))?.querySelector('button')?.focus();
    },
  };
}

const columnsShown = (): readonly JobColumn[] =>
  JOB_COLUMNS.filter(({ isWide = false }) => !(isWide && NARROW.matches));

function columnTitles(sortBy: (column: JobColumn) => void) {
  const row = h('tr', {});
  return {
    row,
    show(order: JobOrder | null) {
      const buildTitle = (column: JobColumn) => {
        const isOrder = order?.column === column;
        const direction = order?.descending === true ? 'descending' : 'ascending';
        const sort = button(column.title, () => sortBy(column), { class: 'quiet' });
        return h('th', { scope: 'col', 'aria-sort': isOrder ? direction : null }, sort);
      };
      const details = h('span', { class: 'visually-hidden' }, TEXTS.progress.details);
      fill(row, columnsShown().map(buildTitle), h('th', { scope: 'col' }, details));
    },
    focus(column: JobColumn) {
      row.querySelectorAll('button')[columnsShown().indexOf(column)]?.focus();
    },
  };
}

function buildRow(
  job: Job,
  isSelected: boolean,
  { addressOfJob, select }: JobTableEvents,
): HTMLTableRowElement {
  const name = nameOf(job);
  const label = h('bdi', {}, name);
  const link = job.status === 'completed' ? h('a', { href: addressOfJob(job) }, label) : label;
  const details = button(TEXTS.progress.details, () => select(job.job_index), {
    class: 'quiet',
    'aria-label': TEXTS.progress.detailsOf(name),
    'aria-pressed': String(isSelected),
  });
  const isValued = job.error_message === null;
  const values = columnsShown().flatMap(({ textOf }) =>
    textOf === undefined ? [] : [textOf(job)],
  );
  // A failed job has no values, so its reason takes their cells.
  const span = { colspan: isValued ? 1 : 1 + values.length };
  return h(
    'tr',
    {},
    NARROW.matches
      ? h('td', span, link, job.status === 'completed' ? null : buildState(job))
      : [h('td', {}, link), h('td', span, buildState(job))],
    isValued ? values.map((text) => h('td', { class: 'amount' }, text)) : null,
    h('td', {}, details),
  );
}

function buildState({ status, error_message: reason }: Job): readonly Child[] {
  return [
    h('span', { class: `state ${status}` }, TEXTS.progress.jobStates[status]),
    reason === null ? null : h('div', { class: 'error' }, reason),
  ];
}
