import type { JobDetail, Model } from 'soil-batch-client';
import { fill, h, listen } from '../element.ts';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from '../map/bounds.ts';
import { fieldLayer } from '../map/field-layer.ts';
import { placeText, rounded } from '../numbers.ts';
import { batchPolygons } from '../progress/batch-polygons.ts';
import { messageOf } from '../state/messages.ts';
import { addressOf } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { legend } from './legend.ts';
import { intervalOf, levelOf, type RasterView, viewsOf } from './views.ts';

/** The raster of a job over its field, with the values under the pointer. */
export function resultPage(session: Session, batchId: string, jobId: string): PageView {
  const abort = new AbortController();
  const body = h('div', {}, h('p', {}, TEXTS.result.waiting));
  const error = h('p', { role: 'alert', class: 'error' });
  const ends: (() => void)[] = [];

  const open = async () => {
    try {
      const job = await session.client
        .batch(batchId)
        .job(jobId, { limit: 1, signal: abort.signal });
      const polygons = await batchPolygons(session, batchId, abort.signal);
      const { content, leave } = await show(session, polygons.get(job.job_index), job);
      if (abort.signal.aborted) return leave();
      ends.push(leave);
      fill(body, content);
    } catch (reason) {
      if (abort.signal.aborted) return;
      fill(body);
      fill(error, messageOf(reason));
    }
  };
  open();

  return {
    title: TEXTS.result.title,
    content: h(
      'div',
      {},
      body,
      error,
      h('p', {}, h('a', { href: addressOf({ page: 'batch', batchId }) }, TEXTS.result.back)),
    ),
    leave() {
      abort.abort();
      for (const end of ends) end();
    },
  };
}

async function show(session: Session, polygon: Polygonal | undefined, job: JobDetail) {
  const model = session.models.find((known) => known.model === job.model);
  const url = job.signed_cog_url;
  const title = h('h1', {}, h('bdi', {}, job.name ?? TEXTS.progress.job(job.job_index)));
  if (url === null || model === undefined) {
    const reason = job.error_message ?? TEXTS.result.none;
    return { content: [title, h('p', {}, reason)], leave: () => {} };
  }
  const { rasterLayer } = await import('../map/raster-layer.ts');
  session.map.projectLike(model);
  const raster = rasterLayer(session.map, url, model);
  const outline = showOutline(session, polygon);
  const views = viewsOf(model);
  const scale = h('div', {});
  const show = (view: RasterView) => {
    raster.show(view, view.range);
    fill(scale, legend(view, model.property.unit));
  };
  const readout = h('output', { class: 'readout' }, TEXTS.result.point);
  const stopPointing = session.map.onPoint(({ pixel, lon, lat }) => {
    const values = raster.valuesAt(pixel);
    if (values === null) return fill(readout, TEXTS.result.point);
    fill(readout, valueText(values, model), h('div', { class: 'muted' }, placeText(lon, lat)));
  });
  const [first] = views;
  if (first !== undefined) show(first);
  return {
    content: [
      title,
      bandPicker(views, show),
      scale,
      readout,
      summaryOf(job),
      ...job.warnings.map(({ message }) => h('p', { class: 'muted' }, message)),
      h('p', {}, h('a', { href: url, class: 'button', download: '' }, TEXTS.result.download)),
    ],
    leave() {
      stopPointing();
      raster.remove();
      outline.remove();
    },
  };
}

function showOutline(session: Session, polygon: Polygonal | undefined) {
  const layer = fieldLayer(session.map, () => {});
  if (polygon !== undefined) {
    layer.show([{ id: 'field', polygon, state: 'completed', fault: null }], null);
    const bounds = boundsOf([polygon]);
    if (bounds !== null) session.map.fit(bounds);
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

/** The expected value of a cell, with its interval if the model has quantiles. */
function valueText(values: readonly number[], { bands, property }: Model): string {
  const expected = bands.findIndex(({ level }) => level === null);
  const value = `${rounded(values[Math.max(expected, 0)] ?? Number.NaN)} ${property.unit}`;
  const interval = intervalOf(bands);
  if (interval === null) return value;
  const [low = Number.NaN, high = Number.NaN] = [values[interval.low], values[interval.high]];
  return TEXTS.result.value(value, levelOf(bands, interval), rounded(low), rounded(high));
}

function summaryOf({ summary }: JobDetail): HTMLElement | null {
  if (summary === null) return null;
  const mean = `${rounded(summary.mean)} ${summary.unit}`;
  const { lower, upper, level } = summary;
  if (lower === null || upper === null || level === null) {
    return h('p', {}, TEXTS.result.mean(mean, null));
  }
  const range = { level: Math.round(level * 100), low: rounded(lower), high: rounded(upper) };
  return h('p', {}, TEXTS.result.mean(mean, range));
}
