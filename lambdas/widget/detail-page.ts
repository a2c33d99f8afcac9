import { clientText, type Html, html } from '#engine/markup/html.ts';
import type { BatchDetail, JobSummary, Mosaic } from '../domain/dashboard/batch-detail.ts';
import type { BatchSummary } from '../domain/dashboard/running-batches.ts';
import type { Link } from './action.ts';
import { jobSquares, patchMosaic } from './mosaics.ts';
import { jobBar, progressBar } from './progress-bar.ts';
import { counted, duration, percent, rate, timeOfDay } from './wording.ts';

/** How many running jobs, and how many failed ones, are listed. */
const LISTED = 6;

/** One batch: its jobs as squares, the running ones, a mosaic of patch-batches, the last errors. */
export function detailPage(detail: BatchDetail, link: Link): Html {
  const { outline, jobs, mosaic } = detail;
  return html`${head(detail, link)}
${progressBar(outline, 'tall')}
<div class="under">${legend(detail)}<span>${percent(outline.progress)}</span></div>
<div class="columns">
<div class="column wide"><div class="card"><h4>Jobs, in the order they were sent</h4>${jobSquares(jobs)}</div>${lastErrors(detail, link)}${sent(detail)}</div>
<div class="column">${mosaic === null ? null : mosaicCard(mosaic, jobs)}${running(detail, link)}</div>
</div>`;
}

function head({ outline, at }: BatchDetail, link: Link): Html {
  const { batch, ageSeconds, secondsLeft, jobsPerMinute } = outline;
  const left = secondsLeft === null ? null : html` · ${duration(secondsLeft)} left`;
  return html`<div class="head"><b>${batch.state.status}</b><span class="mono">${batch.batchId}</span>
<span class="soft">${clientText(batch.tenant, 40)} · for ${duration(ageSeconds)} · ${rate(jobsPerMinute)} jobs / min${left}</span>
<span class="push">${link('← all batches', {})} <span class="soft">as of ${timeOfDay(at)}</span></span></div>`;
}

function legend({ outline: { counts } }: BatchDetail): Html {
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

function mosaicCard(mosaic: Mosaic, jobs: readonly JobSummary[]): Html {
  const { jobIndex, tiles, model } = mosaic;
  const completed = tiles.filter(({ status }) => status === 'completed').length;
  return html`<div class="card"><h4>Patch-batches of job ${nameOf(jobs[jobIndex], jobIndex)}</h4>${patchMosaic(mosaic)}
<p class="soft" style="margin:8px 0 0">${completed} of ${counted(tiles.length, 'patch-batch', 'patch-batches')} · ${clientText(model, 60)}</p></div>`;
}

function running({ jobs, outline }: BatchDetail, link: Link): Html | null {
  const active = newest(jobs.filter(({ status }) => status === 'processing'));
  if (active.length === 0) return null;
  return html`<div class="card"><h4>Running jobs</h4>${active.map((job) => {
    const { completed, total } = job.patchBatches ?? { completed: 0, total: 0 };
    return html`<div class="line"><span>${jobLink(outline, job, link)}</span>${jobBar(completed, total)}<span class="figure soft">${completed} / ${total}</span></div>`;
  })}</div>`;
}

function lastErrors({ jobs, outline }: BatchDetail, link: Link): Html | null {
  const failed = newest(jobs.filter(({ error }) => error !== null));
  if (failed.length === 0) return null;
  return html`<div class="card"><h4>Last errors</h4>${failed.map(
    (job) =>
      html`<p>${jobLink(outline, job, link)} <span class="alert">${job.error?.code ?? ''}</span><br><span class="soft">${clientText(job.error?.message ?? '', 240)}</span></p>`,
  )}</div>`;
}

function sent({ metadata, outline }: BatchDetail): Html | null {
  if (metadata === null) return null;
  return html`<div class="card"><h4>Metadata</h4><p class="mono">${clientText(metadata, 400)}</p><p class="soft">created ${outline.batch.createdAt}</p></div>`;
}

function newest(jobs: readonly JobSummary[]): readonly JobSummary[] {
  return [...jobs]
    .sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''))
    .slice(0, LISTED);
}

function jobLink({ batch }: BatchSummary, job: JobSummary, link: Link): Html {
  return link(nameOf(job, job.index), { batch_id: batch.batchId, job_index: job.index });
}

function nameOf(job: JobSummary | undefined, index: number): Html {
  const name = job?.name ?? null;
  return html`#${index}${name === null ? null : html` ${clientText(name, 60)}`}`;
}
