import type { JobDetail, Model } from 'soil-batch-client';
import { unitText } from '../../lambdas/model/display/unit-text.ts';
import { type Child, fill, h, listen } from '../element.ts';
import { failureNotice } from '../failure.ts';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from '../map/bounds.ts';
import { fieldLayer } from '../map/field-layer.ts';
import { RasterUnreadable } from '../map/raster-unreadable.ts';
import { rounded } from '../numbers.ts';
import { batchPolygons } from '../progress/batch-polygons.ts';
import { nameOf } from '../progress/job-table.ts';
import { addressOf } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { distribution } from './distribution.ts';
import { downloads } from './downloads.ts';
import { legend } from './legend.ts';
import { qgisStyle } from './qgis-style.ts';
import { readout } from './readout.ts';
import { type RasterView, viewsOf } from './views.ts';

/** What a page shows, until it is left. */
interface Shown {
  readonly content: readonly Child[];
  readonly leave: () => void;
}

/** The raster of a job over its field, with the values under the pointer. */
export function resultPage(session: Session, batchId: string, jobId: string): PageView {
  const abort = new AbortController();
  const { signal } = abort;
  const body = h('div', {}, h('p', {}, TEXTS.result.waiting));
  let shown: Shown | null = null;

  const close = () => {
    shown?.leave();
    shown = null;
    fill(body);
  };
  const failed = (reason: unknown) => {
    if (signal.aborted) return;
    close();
    failure.show(reason);
  };
  const open = async () => {
    close();
    fill(body, h('p', {}, TEXTS.result.waiting));
    try {
      const job = await session.client.batch(batchId).job(jobId, { limit: 1, signal });
      const polygons = await batchPolygons(session, batchId, signal);
      const now = await resultOf(session, polygons.get(job.job_index), job, signal, failed);
      if (signal.aborted) return now.leave();
      shown = now;
      fill(body, now.content);
    } catch (reason) {
      failed(reason);
    }
  };
  // A new status has a newly signed URL.
  const failure = failureNotice(open);
  open();

  const back = h('a', { href: addressOf({ page: 'batch', batchId }) }, TEXTS.result.back);
  return {
    title: TEXTS.result.title,
    content: h('div', {}, body, failure.element, h('p', {}, back)),
    leave() {
      abort.abort();
      close();
    },
  };
}

async function resultOf(
  session: Session,
  polygon: Polygonal | undefined,
  job: JobDetail,
  signal: AbortSignal,
  failed: (reason: unknown) => void,
): Promise<Shown> {
  const model = session.models.find((known) => known.model === job.model);
  const url = job.signed_cog_url;
  const title = h('h1', {}, h('bdi', {}, nameOf(job)));
  const outline = showOutline(session, polygon);
  if (url === null) {
    const reason = h('p', {}, job.error_message ?? TEXTS.result.none);
    return { content: [title, reason], leave: outline.remove };
  }
  const about = [summaryOf(job), ...job.warnings.map(({ message }) => muted(message))];
  if (model === undefined) {
    const files = downloads(session, job, url, null);
    return {
      content: [title, muted(TEXTS.result.otherModel), ...about, files],
      leave: outline.remove,
    };
  }
  const style = qgisStyle(session, model, signal);
  const raster = await rasterOf(session, model, polygon, url, style.show, failed);
  return {
    content: [title, ...raster.content, ...about, downloads(session, job, url, style)],
    leave() {
      raster.leave();
      outline.remove();
    },
  };
}

/** The raster on the map, and everything beside the map that is about its cells. */
async function rasterOf(
  session: Session,
  model: Model,
  polygon: Polygonal | undefined,
  url: string,
  onShown: (view: RasterView) => void,
  failed: (reason: unknown) => void,
): Promise<Shown> {
  const [{ rasterLayer }, { readOverview }] = await Promise.all([
    import('../map/raster-layer.ts'),
    import('../map/overview.ts'),
  ]);
  session.map.projectLike(model);
  const reading = new AbortController();
  const unreadable = () => {
    if (!reading.signal.aborted) failed(new RasterUnreadable());
  };
  const raster = rasterLayer(session.map, url, model, unreadable);
  const values = readout(session.map, raster, model, polygon);
  const spread = distribution(model);
  const scale = h('div', {});
  const views = viewsOf(model);
  const show = (view: RasterView) => {
    raster.show(view, view.range);
    fill(scale, legend(view, unitText(model.property.unit)));
    values.show(view);
    spread.show(view);
    onShown(view);
  };
  const [first] = views;
  if (first !== undefined) show(first);
  readOverview(url, model, reading.signal).then(spread.read, unreadable);
  return {
    content: [bandPicker(views, show), spread.element, scale, values.element],
    leave() {
      reading.abort();
      values.leave();
      raster.remove();
    },
  };
}

function showOutline(session: Session, polygon: Polygonal | undefined) {
  const layer = fieldLayer(session.map, () => {});
  if (polygon !== undefined) {
    layer.show([{ id: 'field', polygon, state: 'completed', fault: null }], null);
    session.map.fit(boundsOf([polygon]));
  }
  return layer;
}

function bandPicker(views: readonly RasterView[], show: (view: RasterView) => void): HTMLElement {
  const select = h(
    'select',
    { id: 'band' },
    ...views.map(({ id, title }) => h('option', { value: id }, title)),
  );
  listen(select, {
    change: () => {
      const view = views.find(({ id }) => id === select.value);
      if (view !== undefined) show(view);
    },
  });
  return h('p', {}, h('label', { for: 'band' }, TEXTS.result.band, select));
}

function summaryOf({ summary }: JobDetail): HTMLElement | null {
  if (summary === null) return null;
  const mean = `${rounded(summary.mean)} ${unitText(summary.unit)}`;
  const { lower, upper, level } = summary;
  if (lower === null || upper === null || level === null) {
    return h('p', {}, TEXTS.result.mean(mean, null));
  }
  const range = { level: Math.round(level * 100), low: rounded(lower), high: rounded(upper) };
  return h('p', {}, TEXTS.result.mean(mean, range));
}

const muted = (text: string) => h('p', { class: 'muted' }, text);
