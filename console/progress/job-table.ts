import type { Job } from 'soil-batch-client';
import { h } from '../element.ts';
import { rounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

/** A row for each job; only rows whose job has changed are replaced. */
export function jobTable(addressOfJob: (job: Job) => string) {
  const body = h('tbody', {});
  const rows = new Map<string, { readonly text: string; readonly row: HTMLTableRowElement }>();
  const element = h(
    'table',
    { 'aria-label': TEXTS.progress.jobs },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...[TEXTS.fields.name, TEXTS.progress.state, TEXTS.progress.value].map((title) =>
          h('th', { scope: 'col' }, title),
        ),
      ),
    ),
    body,
  );
  const rowOf = (job: Job) => {
    const name = h('bdi', {}, job.name ?? TEXTS.progress.job(job.job_index));
    return h(
      'tr',
      {},
      h('td', {}, job.status === 'completed' ? h('a', { href: addressOfJob(job) }, name) : name),
      h(
        'td',
        {},
        h('span', { class: `state ${job.status}` }, TEXTS.progress.jobStates[job.status]),
        job.error_message === null ? null : h('div', { class: 'error' }, job.error_message),
      ),
      h('td', {}, meanOf(job)),
    );
  };
  return {
    element,
    show(jobs: readonly Job[]) {
      for (const job of jobs) {
        const text = `${job.status} ${job.error_message} ${meanOf(job)}`;
        const before = rows.get(job.job_id);
        if (before?.text === text) continue;
        const row = rowOf(job);
        if (before === undefined) body.append(row);
        else before.row.replaceWith(row);
        rows.set(job.job_id, { text, row });
      }
    },
  };
}

function meanOf({ summary }: Job): string {
  if (summary === null) return '';
  return `${rounded(summary.mean)} ${summary.unit}`;
}
