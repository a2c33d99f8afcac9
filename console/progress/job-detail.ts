import { isFinal, type JobDetail, type PatchBatch, type SoilClient } from 'soil-batch-client';
import { button, type Child, fill, h } from '../element.ts';
import { factList } from '../facts.ts';
import { failureNotice } from '../failure.ts';
import { outsideText, rangeText } from '../model-text.ts';
import { formatWhole } from '../numbers.ts';
import { formatAddress } from '../state/routes.ts';
import { TEXTS } from '../texts.ts';
import { valueFacts } from './value-facts.ts';

export interface JobDetailView {
  readonly element: HTMLElement;
  readonly show: (jobId: string | null) => Promise<void>;
  readonly refresh: () => Promise<void>;
}

export function jobDetail(
  client: SoilClient,
  batchId: string,
  signal: AbortSignal,
  close: () => void,
): JobDetailView {
  const body = h('div', {});
  const element = h(
    'section',
    { class: 'detail', tabindex: -1, 'aria-label': TEXTS.progress.details, hidden: true },
    body,
  );
  let shown: string | null = null;
  let isOver = false;
  const failure = failureNotice(() => read());
  element.append(failure.element);

  const page = async (jobId: string, cursor?: string) => {
    return client.batch(batchId).job(jobId, { cursor, signal });
  };
  const read = async () => {
    const jobId = shown;
    if (jobId === null) return;
    try {
      const job = await page(jobId);
      // Another job may have been selected meanwhile.
      if (shown !== jobId) return;
      isOver = isFinal(job);
      failure.clear();
      fill(
        body,
        buildContent(job, (cursor) => page(jobId, cursor), close, failure.show),
      );
    } catch (reason) {
      if (!signal.aborted && shown === jobId) failure.show(reason);
    }
  };
  return {
    element,
    async show(jobId) {
      shown = jobId;
      element.hidden = jobId === null;
      failure.clear();
      fill(body, jobId === null ? null : h('p', { role: 'status' }, TEXTS.job.waiting));
      await read();
    },
    async refresh() {
      if (!isOver) await read();
    },
  };
}

function buildContent(
  job: JobDetail,
  page: (cursor: string) => Promise<JobDetail>,
  close: () => void,
  failed: (reason: unknown) => void,
): readonly Child[] {
  const address = formatAddress({ page: 'result', batchId: job.batch_id, jobId: job.job_id });
  return [
    h(
      'div',
      { class: 'head' },
      h('h2', {}, h('bdi', {}, job.name ?? TEXTS.progress.job(job.job_index))),
      button(TEXTS.progress.closeShort, close, {
        class: 'quiet',
        'aria-label': TEXTS.progress.close,
      }),
    ),
    job.status === 'completed' ? h('p', {}, h('a', { href: address }, TEXTS.job.result)) : null,
    job.error_message === null ? null : h('p', { class: 'error' }, job.error_message),
    buildFacts(job),
    ...job.warnings.map(({ message }) => h('p', { class: 'muted' }, message)),
    job.properties === null ? null : buildProperties(job.properties),
    ...(job.patch_batches.length === 0 ? [] : patchBatchTable(job, page, failed)),
  ];
}

function buildFacts(job: JobDetail): HTMLElement {
  const { point_count: cells, total_patch_batches: patchBatches, summary } = job;
  // A final job never gets values that it lacks.
  const missing = isFinal(job) ? null : TEXTS.job.unplanned;
  return factList([
    [TEXTS.progress.state, TEXTS.progress.jobStates[job.status]],
    ...(summary === null ? [] : valueFacts(summary)),
    [TEXTS.job.year, job.year],
    [TEXTS.job.model, job.model ?? missing],
    [TEXTS.job.data, job.data_period === null ? missing : rangeText(job.data_period)],
    [
      TEXTS.job.cells,
      cells === null
        ? missing
        : TEXTS.job.cellsOf(formatWhole(job.predicted_point_count ?? 0), formatWhole(cells)),
    ],
    [TEXTS.job.outside, summary === null ? null : outsideText(summary)],
    [TEXTS.job.bucket, job.destination === undefined ? null : bucketText(job.destination)],
    [
      TEXTS.job.patchBatches,
      patchBatches === null
        ? missing
        : TEXTS.job.patchBatchesOf(job.completed_patch_batches ?? 0, patchBatches),
    ],
  ]);
}

function bucketText({ status, uri, error }: NonNullable<JobDetail['destination']>): string {
  if (error !== null) return error;
  return status === 'copied' ? uri : TEXTS.job.bucketPending(uri);
}

function buildProperties(properties: Readonly<Record<string, unknown>>): HTMLElement {
  const entries = Object.entries(properties).flatMap(([name, value]) => [
    h('dt', {}, h('bdi', {}, name)),
    h('dd', {}, h('bdi', {}, typeof value === 'string' ? value : JSON.stringify(value))),
  ]);
  return h(
    'details',
    {},
    h('summary', {}, TEXTS.job.properties),
    h('dl', { class: 'facts' }, ...entries),
  );
}

function patchBatchTable(
  first: JobDetail,
  page: (cursor: string) => Promise<JobDetail>,
  failed: (reason: unknown) => void,
): readonly HTMLElement[] {
  const rows = h('tbody', {}, ...first.patch_batches.map(buildRow));
  let cursor = first.next_cursor;
  const more = button(TEXTS.job.more, async () => {
    if (cursor === null) return;
    more.disabled = true;
    try {
      const next = await page(cursor);
      rows.append(...next.patch_batches.map(buildRow));
      cursor = next.next_cursor;
    } catch (reason) {
      failed(reason);
    }
    more.disabled = false;
    more.hidden = cursor === null;
  });
  more.hidden = cursor === null;
  const titles = [TEXTS.job.patchBatch, TEXTS.progress.state, TEXTS.job.cells, TEXTS.job.time];
  const table = h(
    'table',
    { 'aria-label': TEXTS.job.patchBatches },
    h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))),
    rows,
  );
  return [h('div', { class: 'scroll' }, table), more];
}

function buildRow(patchBatch: PatchBatch): HTMLElement {
  const { status, failure_reason: reason, inference_duration_ms: time } = patchBatch;
  return h(
    'tr',
    {},
    h('td', {}, patchBatch.patch_batch_idx),
    h(
      'td',
      {},
      h('span', { class: `state ${status}` }, TEXTS.progress.jobStates[status]),
      reason === null ? null : h('div', { class: 'error' }, reason),
    ),
    h('td', {}, formatWhole(patchBatch.point_count)),
    h('td', {}, time === null ? '' : TEXTS.job.milliseconds(formatWhole(time))),
  );
}
