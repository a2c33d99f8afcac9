import { type BatchStatus, isFinal, type Job } from 'soil-batch-client';
import { button, fill, h } from '../element.ts';
import { boundsOf } from '../map/bounds.ts';
import { fieldLayer, type Shape } from '../map/field-layer.ts';
import { duration } from '../numbers.ts';
import { messageOf } from '../state/messages.ts';
import { addressOf } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { batchPolygons } from './batch-polygons.ts';
import { jobTable } from './job-table.ts';

/** A batch from its submission to its end: counts, states of the jobs, and their fields on the map. */
export function batchPage(session: Session, batchId: string): PageView {
  const { map } = session;
  const batch = session.client.batch(batchId);
  const jobs = new Map<number, Job>();
  let fitted = false;
  const abort = new AbortController();
  const { signal } = abort;
  const addressOfJob = ({ job_id: jobId }: Job) => addressOf({ page: 'result', batchId, jobId });
  const layer = fieldLayer(map, (index) => {
    const job = jobs.get(Number(index));
    if (job?.status === 'completed') location.hash = addressOfJob(job);
  });
  const heading = h('h1', {}, TEXTS.progress.title);
  const facts = h('div', {}, h('p', {}, TEXTS.progress.waiting));
  const status = h('p', { role: 'status', class: 'muted' });
  const error = h('p', { role: 'alert', class: 'error' });
  const table = jobTable(addressOfJob);
  const cancel = button(TEXTS.progress.cancel, async () => {
    cancel.disabled = true;
    try {
      await batch.cancel({ signal });
      fill(status, TEXTS.progress.cancelling);
    } catch (reason) {
      fill(error, messageOf(reason));
    }
  });
  cancel.hidden = true;

  const showJobs = async () => {
    for await (const job of batch.jobs({ signal })) jobs.set(job.job_index, job);
    table.show([...jobs.values()]);
    const polygons = await batchPolygons(session, batchId, signal);
    layer.show(
      [...jobs.values()].flatMap((job) => shapeOf(job, polygons.get(job.job_index))),
      null,
    );
    if (fitted) return;
    fitted = true;
    const bounds = boundsOf([...polygons.values()]);
    if (bounds !== null) map.fit(bounds);
  };
  const showStatus = (now: BatchStatus) => {
    fill(heading, now.name === null ? TEXTS.progress.title : h('bdi', {}, now.name));
    fill(facts, factsOf(now));
    cancel.hidden = isFinal(now);
    if (isFinal(now)) fill(status);
  };
  const follow = async () => {
    try {
      for await (const now of batch.progress({ signal })) {
        showStatus(now);
        await showJobs();
      }
    } catch (reason) {
      if (!signal.aborted) fill(error, messageOf(reason));
    }
  };
  follow();

  return {
    title: TEXTS.progress.title,
    content: h(
      'div',
      {},
      heading,
      facts,
      status,
      error,
      cancel,
      h('div', { class: 'scroll' }, table.element),
    ),
    leave() {
      abort.abort();
      layer.remove();
    },
  };
}

function factsOf(batch: BatchStatus): readonly HTMLElement[] {
  const remaining = secondsLeft(batch);
  return [
    h('p', {}, TEXTS.progress.states[batch.status]),
    h('progress', { max: 1, value: batch.progress, 'aria-label': TEXTS.progress.label }),
    h(
      'p',
      {},
      TEXTS.progress.counts(batch.completed_jobs, batch.failed_jobs, batch.total_jobs),
      remaining === null ? null : ` ${TEXTS.progress.left(duration(remaining))}`,
    ),
  ];
}

function secondsLeft({ estimated_completion_at: at }: BatchStatus): number | null {
  return at === null ? null : Math.max(1, (Date.parse(at) - Date.now()) / 1_000);
}

function shapeOf(job: Job, polygon: Shape['polygon'] | undefined): readonly Shape[] {
  if (polygon === undefined) return [];
  return [{ id: String(job.job_index), polygon, state: job.status, fault: job.error_location }];
}
