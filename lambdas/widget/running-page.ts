import { clientText, type Html, html } from '../../client/src/drawing/html.ts';
import type { RunningBatches, ShownBatch } from '../domain/dashboard/running-batches.ts';
import {
  counted,
  duration,
  type Link,
  percent,
  progressBar,
  rate,
  timeOfDay,
} from './page-parts.ts';

/** All running batches, one row each. */
export function runningPage(batches: RunningBatches, link: Link): Html {
  return html`${head(batches)}${batches.running.length === 0 ? calm(batches) : lines(batches, link)}${more(batches)}`;
}

function head({ totalRunning, totalPending, isTruncated, at }: RunningBatches): Html {
  const atLeast = isTruncated ? 'at least ' : '';
  return html`<div class="head"><b>${atLeast}${counted(totalRunning, 'batch', 'batches')} running</b>
<span class="soft">${atLeast}${counted(totalPending, 'batch', 'batches')} waiting</span>
<span class="soft push">as of ${timeOfDay(at)}</span></div>`;
}

function calm({ totalPending }: RunningBatches): Html {
  const next =
    totalPending === 0
      ? 'The next batch shows up here as soon as its first job is planned.'
      : 'Waiting batches show up here as soon as their first job is planned.';
  return html`<div class="calm">Nothing is running.<br>${next}</div>`;
}

function lines({ running }: RunningBatches, link: Link): Html {
  return html`<div class="row names"><span>batch</span><span>jobs</span><span class="figure">jobs / min</span><span class="figure">time left</span><span class="figure">failed</span></div>${running.map((shown) => line(shown, link))}`;
}

function line(shown: ShownBatch, link: Link): Html {
  const { batch, counts, progress, jobsPerMinute, ageSeconds, secondsLeft } = shown;
  const done = counts.completed + counts.failed;
  return html`<div class="row">
<span><span class="mono">${link(batch.batchId, { batch_id: batch.batchId })}</span><br><span class="soft">${clientText(batch.tenant, 40)} · for ${duration(ageSeconds)}</span></span>
<span>${progressBar(shown)}<span class="under"><span>${done} of ${counted(counts.total, 'job')}</span><span>${percent(progress)}</span></span></span>
<span class="figure" data-of="jobs / min">${rate(jobsPerMinute)}</span>
<span class="figure" data-of="left">${secondsLeft === null ? '–' : duration(secondsLeft)}</span>
<span class="figure" data-of="failed">${counts.failed === 0 ? html`<span class="soft">0</span>` : html`<span class="alert">${counts.failed}</span>`}</span>
</div>`;
}

function more({ running, totalRunning }: RunningBatches): Html | null {
  const hidden = totalRunning - running.length;
  if (hidden <= 0) return null;
  return html`<div class="row"><span class="soft">and ${counted(hidden, 'younger batch', 'younger batches')}</span></div>`;
}
