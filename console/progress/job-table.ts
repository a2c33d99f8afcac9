import type { Job } from 'soil-batch-client';
import { unitText } from '../../client/src/drawing/unit-text.ts';
import { button, h } from '../element.ts';
import { rounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

export interface JobTableEvents {
  readonly addressOfJob: (job: Job) => string;
  readonly select: (index: number) => void;
}

interface Row {
  readonly text: string;
  readonly element: HTMLTableRowElement;
  readonly details: HTMLButtonElement;
}

/** A row for each job; only rows whose job has changed are replaced. */
export function jobTable({ addressOfJob, select }: JobTableEvents) {
  const body = h('tbody', {});
  const rows = new Map<number, Row>();
  const titles = [TEXTS.fields.name, TEXTS.progress.state, TEXTS.progress.value];
  const element = h(
    'table',
    { 'aria-label': TEXTS.progress.jobs },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...titles.map((title) => h('th', { scope: 'col' }, title)),
        h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, TEXTS.progress.details)),
      ),
    ),
    body,
  );
  const rowOf = (job: Job, text: string): Row => {
    const name = nameOf(job);
    const shown = h('bdi', {}, name);
    const details = button(TEXTS.progress.details, () => select(job.job_index), {
      class: 'quiet',
      'aria-label': TEXTS.progress.detailsOf(name),
    });
    const link = job.status === 'completed' ? h('a', { href: addressOfJob(job) }, shown) : shown;
    const row = h(
      'tr',
      {},
      h('td', {}, link),
      h(
        'td',
        // A reason needs the room, and a failed job has no mean.
        { colspan: job.error_message === null ? 1 : 2 },
        h('span', { class: `state ${job.status}` }, TEXTS.progress.jobStates[job.status]),
        job.error_message === null ? null : h('div', { class: 'error' }, job.error_message),
      ),
      job.error_message === null ? h('td', { class: 'amount' }, meanOf(job)) : null,
      h('td', {}, details),
    );
    return { text, element: row, details };
  };
  return {
    element,
    show(jobs: readonly Job[]) {
      for (const job of jobs) {
        const text = `${job.status} ${job.error_message} ${meanOf(job)}`;
        const before = rows.get(job.job_index);
        if (before?.text === text) continue;
        const row = rowOf(job, text);
        rows.set(job.job_index, row);
        if (before === undefined) {
          body.append(row.element);
          continue;
        }
        const focused = document.activeElement === before.details;
        row.details.ariaPressed = before.details.ariaPressed;
        before.element.replaceWith(row.element);
        if (focused) row.details.focus();
      }
    },
    mark(selected: number | null) {
      for (const [index, row] of rows) {
        row.details.ariaPressed = String(index === selected);
      }
      if (selected !== null) rows.get(selected)?.element.scrollIntoView({ block: 'nearest' });
    },
    focus(index: number) {
      rows.get(index)?.details.focus();
    },
  };
}

export function nameOf({ name, job_index: index }: Pick<Job, 'name' | 'job_index'>): string {
  return name ?? TEXTS.progress.job(index);
}

function meanOf({ summary }: Job): string {
  if (summary === null) return '';
  return `${rounded(summary.mean)} ${unitText(summary.unit)}`;
}
