import { type BatchStatus, isFinal, type Job } from 'soil-batch-client';
import { h } from '../element.ts';
import type { Polygonal } from '../fields/field.ts';
import { computeCoveredBounds } from '../map/bounds.ts';
import { fieldLayer, type Shape } from '../map/field-layer.ts';
import { formatAddress } from '../state/routes.ts';
import type { DisplayRanges, Session } from '../state/session.ts';
import { batchColours } from './batch-colours.ts';
import { readBatchPolygons } from './batch-polygons.ts';
import { batchRasters } from './batch-rasters.ts';
import { jobDetail } from './job-detail.ts';
import { jobTable } from './job-table.ts';

const CLEAR = '#00000000';

export function jobsView(session: Session, batchId: string, signal: AbortSignal) {
  const { client, map } = session;
  const jobs = new Map<number, Job>();
  let polygons: ReadonlyMap<number, Polygonal> | null = null;
  let ranges: DisplayRanges;
  let isFinished = false;
  let selected: number | null = null;

  const select = (index: number | null, by: 'map' | 'table') => {
    if (index === selected) return;
    selected = index;
    draw();
    table.mark(index);
    const job = index === null ? undefined : jobs.get(index);
    const read = detail.show(job?.job_id ?? null);
    if (by === 'table') detail.element.focus();
    void read.then(() => {
      // The list may be long, and scrolled far down.
      if (index !== null && index === selected) detail.element.scrollIntoView({ block: 'nearest' });
    });
  };
  const close = () => {
    const index = selected;
    select(null, 'table');
    if (index !== null) table.focus(index);
  };
  const layer = fieldLayer(map, (id) => select(id === null ? null : Number(id), 'map'));
  const events = {
    addressOfJob: ({ job_id: jobId }: Job) => formatAddress({ page: 'result', batchId, jobId }),
    select: (index: number) => select(index, 'table'),
  };
  const table = jobTable(events, signal);
  const detail = jobDetail(client, batchId, signal, close);
  const colours = batchColours(session.models, () => recolour());
  const rasters = batchRasters(session, batchId, () => draw(), signal);
  const draw = () => {
    const shapes = [...jobs.values()].flatMap((job) => {
      const { job_index: index } = job;
      const colour = rasters.isDrawn(index) ? CLEAR : colours.of(index);
      return makeShapes(job, polygons?.get(index), colour);
    });
    layer.show(shapes, selected === null ? null : String(selected));
  };
  const recolour = () => {
    const coloured = colours.show([...jobs.values()], ranges);
    // No cells while the batch runs: the page works without them, and each poll would read and draw other rasters.
    rasters.show(jobs, polygons ?? new Map(), isFinished ? coloured : null);
    draw();
  };
  const update = async (changed: readonly Job[]) => {
    for (const job of changed) jobs.set(job.job_index, job);
    table.show([...jobs.values()]);
    if (polygons === null) {
      polygons = await readBatchPolygons(session, batchId, signal);
      map.fit(computeCoveredBounds([...polygons.values()], session.models));
    }
    recolour();
    if (changed.some(({ job_index: index }) => index === selected)) await detail.refresh();
  };
  return {
    legend: h('div', {}, colours.element, rasters.element),
    element: h('div', {}, detail.element, table.element),
    /** Reads the selected job again if it has changed. */
    async show(now: BatchStatus) {
      const changed = now.jobs.filter((job) => {
        const known = jobs.get(job.job_index);
        return known?.updated_at !== job.updated_at || known.status !== job.status;
      });
      const hasFinished = !isFinished && isFinal(now);
      isFinished = isFinal(now);
      ranges = now.display_ranges;
      // The polygons are missing if they could not be read before.
      const isMissing = jobs.size > 0 && polygons === null;
      if (changed.length > 0 || hasFinished || isMissing) await update(changed);
    },
    leave() {
      rasters.leave();
      layer.remove();
    },
  };
}

function makeShapes(
  { job_index: index, status: state, error_location: fault }: Job,
  polygon: Shape['polygon'] | undefined,
  fill: string | null,
): readonly Shape[] {
  return polygon === undefined ? [] : [{ id: String(index), polygon, state, fault, fill }];
}
