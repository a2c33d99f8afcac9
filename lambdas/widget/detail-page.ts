import { clientText, type Html, html, shortened } from '../../client/src/drawing/html.ts';
import type { BatchDetail, PatchBatchMap, ShownJob } from '../domain/dashboard/batch-detail.ts';
import type { ShownBatch } from '../domain/dashboard/running-batches.ts';
import {
  counted,
  duration,
  jobBar,
  type Link,
  percent,
  progressBar,
  rate,
  timeOfDay,
} from './page-parts.ts';

/** How many running jobs, and how many failed ones, are listed. */
const LISTED = 6;

/** One batch: its jobs as squares, the running ones, a map of patch-batches, the last errors. */
export function detailPage(detail: BatchDetail, link: Link): Html {
  const { shown, jobs, patchBatchMap } = detail;
  return html`${head(detail, link)}
${progressBar(shown, 'tall')}
<div class="under">${legend(detail)}<span>${percent(shown.progress)}</span></div>
<div class="columns">
<div class="column wide"><div class="card"><h4>Jobs, in the order they were sent</h4>${jobSquares(jobs)}</div>${lastErrors(detail, link)}${sent(detail)}</div>
<div class="column">${patchBatchMap === null ? null : mapCard(patchBatchMap, jobs)}${running(detail, link)}</div>
</div>`;
}

function head({ shown, at }: BatchDetail, link: Link): Html {
  const { batch, ageSeconds, secondsLeft, jobsPerMinute } = shown;
  const left = secondsLeft === null ? null : html` · ${duration(secondsLeft)} left`;
  return html`<div class="head"><b>${batch.state.status}</b><span class="mono">${batch.batchId}</span>
<span class="soft">${clientText(batch.tenant, 40)} · for ${duration(ageSeconds)} · ${rate(jobsPerMinute)} jobs / min${left}</span>
<span class="push">${link('← all batches', {})} <span class="soft">as of ${timeOfDay(at)}</span></span></div>`;
}

function legend({ shown: { counts } }: BatchDetail): Html {
  const figures = [
    ['completed', counts.completed],
    ['failed', counts.failed],
    ['processing', counts.processing],
    ['pending', counts.pending - counts.processing],
  ] as const;
  return html`<span class="legend">${figures.map(
    ([state, count]) => html`<span><i class="key ${state}"></i>${count} ${state}</span>`,
  )}</span>`;
}

function mapCard(patchBatchMap: PatchBatchMap, jobs: readonly ShownJob[]): Html {
  const { jobIndex, patchBatches, model } = patchBatchMap;
  const completed = patchBatches.filter(({ status }) => status === 'completed').length;
  return html`<div class="card"><h4>Patch-batches of job ${nameOf(jobs[jobIndex], jobIndex)}</h4>${patchBatchSquares(patchBatchMap)}
<p class="soft" style="margin:8px 0 0">${completed} of ${counted(patchBatches.length, 'patch-batch', 'patch-batches')} · ${clientText(model, 60)}</p></div>`;
}

function running({ jobs, shown }: BatchDetail, link: Link): Html | null {
  const active = newest(jobs.filter(({ status }) => status === 'processing'));
  if (active.length === 0) return null;
  return html`<div class="card"><h4>Running jobs</h4>${active.map((job) => {
    const { completed, total } = job.patchBatches ?? { completed: 0, total: 0 };
    return html`<div class="line"><span>${jobLink(shown, job, link)}</span>${jobBar(completed, total)}<span class="figure soft">${completed} / ${total}</span></div>`;
  })}</div>`;
}

function lastErrors({ jobs, shown }: BatchDetail, link: Link): Html | null {
  const failed = newest(jobs.filter(({ error }) => error !== null));
  if (failed.length === 0) return null;
  return html`<div class="card"><h4>Last errors</h4>${failed.map(
    (job) =>
      html`<p>${jobLink(shown, job, link)} <span class="alert">${job.error?.code ?? ''}</span><br><span class="soft">${clientText(job.error?.message ?? '', 240)}</span></p>`,
  )}</div>`;
}

function sent({ metadata, shown }: BatchDetail): Html | null {
  if (metadata === null) return null;
  return html`<div class="card"><h4>Metadata</h4><p class="mono">${clientText(metadata, 400)}</p><p class="soft">created ${shown.batch.createdAt}</p></div>`;
}

function newest(jobs: readonly ShownJob[]): readonly ShownJob[] {
  return [...jobs]
    .sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''))
    .slice(0, LISTED);
}

function jobLink({ batch }: ShownBatch, job: ShownJob, link: Link): Html {
  return link(nameOf(job, job.index), { batch_id: batch.batchId, job_index: job.index });
}

function nameOf(job: ShownJob | undefined, index: number): Html {
  const name = job?.name ?? null;
  return html`#${index}${name === null ? null : html` ${clientText(name, 60)}`}`;
}

const CELL = 13;
const GAP = 3;
const COLUMNS = 40;

/** Every job of a batch as a square, in the order sent; 1,000 jobs take 25 rows. */
function jobSquares(jobs: readonly ShownJob[]): Html {
  const columns = Math.min(COLUMNS, jobs.length);
  const width = columns * (CELL + GAP) - GAP;
  const height = Math.ceil(jobs.length / columns) * (CELL + GAP) - GAP;
  return html`<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">${jobs.map(
    (job) => {
      const x = (job.index % columns) * (CELL + GAP);
      const y = Math.floor(job.index / columns) * (CELL + GAP);
      return html`<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" rx="2.5" class="${job.status}"><title>${titleOf(job)}</title></rect>`;
    },
  )}</svg>`;
}

function titleOf({ index, name, status, error }: ShownJob): string {
  const called = name === null ? '' : ` ${shortened(name, 60)}`;
  return `job ${index}${called}: ${status}${error === null ? '' : ` (${error.code})`}`;
}

/** Longest side of a map of patch-batches on the page, in pixels. */
const SIDE = 260;

/** A job's patch-batches at their positions in its raster; blocks without a cell are left empty. */
function patchBatchSquares({ width, height, patchBatches }: PatchBatchMap): Html {
  const scale = SIDE / Math.max(width, height);
  const px = (cells: number) => (cells * scale).toFixed(1);
  const gap = Math.min(1.5, (SIDE / Math.sqrt(patchBatches.length || 1)) * 0.06);
  const inner = (cells: number) => Math.max(0.8, cells * scale - gap).toFixed(1);
  return html`<svg width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" role="img">${patchBatches.map(
    (patchBatch) =>
      html`<rect x="${px(patchBatch.col)}" y="${px(patchBatch.row)}" width="${inner(patchBatch.width)}" height="${inner(patchBatch.height)}" rx="1.5" class="${patchBatch.status}"><title>patch-batch ${patchBatch.idx}: ${patchBatch.status}${patchBatch.failureReason === null ? '' : ` (${shortened(patchBatch.failureReason, 200)})`}</title></rect>`,
  )}</svg>`;
}
