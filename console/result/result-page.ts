import type { JobDetail, Model } from 'soil-batch-client';
import { type Child, fill, h, listen } from '../element.ts';
import { failureNotice } from '../failure.ts';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from '../map/bounds.ts';
import { fieldLayer } from '../map/field-layer.ts';
import { RasterUnreadable } from '../map/raster-unreadable.ts';
import type { SoilMap } from '../map/soil-map.ts';
import { modelSources } from '../model-sources.ts';
import { nameOf } from '../progress/job-columns.ts';
import { formatAddress } from '../state/routes.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { type ColourScale, type Range, scaleChooser } from './colour-scale.ts';
import { distribution } from './distribution.ts';
import { downloads } from './downloads.ts';
import { describeSubject, describeSummary, describeTrust } from './job-summary.ts';
import { type LoadedResult, loadResult, type RasterReaders } from './load-result.ts';
import { neighbourLinks } from './neighbours.ts';
import { qgisStyle } from './qgis-style.ts';
import { readout } from './readout.ts';
import { listViews, type RasterView } from './views.ts';

interface PageContents {
  readonly content: readonly Child[];
  readonly leave: () => void;
}

export function resultPage(session: Session, batchId: string, jobId: string): PageView {
  const abort = new AbortController();
  const { signal } = abort;
  const heading = h('h1', {}, TEXTS.result.title);
  const neighbours = h('div', {});
  const body = h('div', {});
  let shown: PageContents | null = null;

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
      const loaded = await loadResult(session, batchId, jobId, signal);
      if (signal.aborted) return;
      if (loaded === null) {
        return fill(body, h('p', {}, TEXTS.result.expired(session.limits.retention_days)));
      }
      fill(heading, h('bdi', {}, nameOf(loaded.job)));
      shown = showResult(session, loaded, signal, failed);
      fill(body, shown.content);
      // Even without these links, users reach other fields through the batch page.
      fill(neighbours, await neighbourLinks(session, batchId, jobId, signal).catch(() => null));
    } catch (reason) {
      failed(reason);
    }
  };
  // Each job status has a newly signed URL.
  const failure = failureNotice(() => {
    heading.focus();
    open();
  });
  open();

  const back = h('a', { href: formatAddress({ page: 'batch', batchId }) }, TEXTS.result.back);
  return {
    title: TEXTS.result.title,
    content: h('div', {}, heading, neighbours, body, failure.element, h('p', {}, back)),
    leave() {
      abort.abort();
      close();
    },
  };
}

function showResult(
  session: Session,
  { job, polygon, batchRange, readers }: LoadedResult,
  signal: AbortSignal,
  failed: (reason: unknown) => void,
): PageContents {
  const model = session.models.find((known) => known.model === job.model);
  // Switch the reference system before the map shows the field, because the switch replaces the map's view.
  if (model !== undefined) session.map.projectLike(model);
  const outline = showOutline(session, polygon, job.status);
  const url = job.signed_cog_url;
  if (url === null) return { content: [buildWithoutResult(job)], leave: outline.remove };
  const about = [
    describeSummary(job),
    describeTrust(job, model),
    ...job.warnings.map(({ message }) => muted(message)),
  ];
  const subject = describeSubject(job, model);
  if (model === undefined || !readers.drawsRasters()) {
    const files = downloads(session, job, url, null);
    const reason = model === undefined ? TEXTS.result.otherModel : TEXTS.result.noWebGl;
    const content = [subject, muted(reason), ...about, files];
    return { content, leave: outline.remove };
  }
  const style = qgisStyle(session, model, signal);
  const field = { model, polygon, url, batchRange };
  const raster = showRaster(session.map, readers, field, style.show, failed);
  return {
    content: [
      ...[subject, ...raster.content, ...about],
      ...[modelSources(model), downloads(session, job, url, style)],
    ],
    leave() {
      raster.leave();
      outline.remove();
    },
  };
}

function buildWithoutResult({ status, error_message: reason }: JobDetail): HTMLElement {
  if (status === 'failed') return h('p', { class: 'error' }, reason ?? TEXTS.result.none);
  return h('p', {}, TEXTS.result.unfinished);
}

interface RasterOfField {
  readonly model: Model;
  readonly polygon: Polygonal | undefined;
  readonly url: string;
  /** Null until the batch is finished. */
  readonly batchRange: Range | null;
}

function showRaster(
  map: SoilMap,
  { rasterLayer, readOverview }: RasterReaders,
  { model, polygon, url, batchRange }: RasterOfField,
  onShown: (view: RasterView, scale: ColourScale) => void,
  failed: (reason: unknown) => void,
): PageContents {
  const reading = new AbortController();
  const unreadable = (reason?: unknown) => {
    if (reading.signal.aborted) return;
    failed(reason instanceof RasterUnreadable ? reason : new RasterUnreadable());
  };
  const raster = rasterLayer(map, url, model, { unreadable });
  const readAt = (pixel: readonly number[]) => {
    const values = raster.valuesAt(pixel);
    return values === null ? null : { values };
  };
  const values = readout(map, { readAt }, model, polygon);
  const spread = distribution(model);
  const views = listViews(model);
  const show = (view: RasterView) => {
    const scale = scales.choose({
      batch: view.isOnBatchRange ? batchRange : null,
      model: view.range,
      field: spread.rangeOf(view),
    });
    last = view;
    if (scale === null) return;
    raster.show(view, scale.range);
    values.show(view);
    spread.show(view, scale);
    onShown(view, scale);
  };
  const [first] = views;
  let last = first;
  const showAgain = () => last !== undefined && show(last);
  const scales = scaleChooser(showAgain);
  showAgain();
  readOverview(url, model, reading.signal)
    .then((overview) => {
      spread.read(overview);
      // The field's range is known now.
      showAgain();
    })
    .catch(unreadable);
  return {
    content: [bandPicker(views, show), scales.element, spread.element, values.element],
    leave() {
      reading.abort();
      values.leave();
      raster.remove();
    },
  };
}

function showOutline({ map }: Session, polygon: Polygonal | undefined, state: JobDetail['status']) {
  const layer = fieldLayer(map, () => {});
  if (polygon !== undefined) {
    layer.show([{ id: 'field', polygon, state, fault: null }], null);
    map.fit(boundsOf([polygon]));
  }
  return layer;
}

const muted = (text: string) => h('p', { class: 'muted' }, text);

function bandPicker(views: readonly RasterView[], show: (view: RasterView) => void): HTMLElement {
  const description = h('p', { id: 'band-description', class: 'muted' });
  const select = h(
    'select',
    { id: 'band', 'aria-describedby': 'band-description' },
    ...views.map(({ id, title }) => h('option', { value: id }, title)),
  );
  const describe = ({ description: text }: RasterView) => {
    fill(description, text);
    description.hidden = text === null;
  };
  const [first] = views;
  if (first !== undefined) describe(first);
  listen(select, {
    change: () => {
      const view = views.find(({ id }) => id === select.value);
      if (view === undefined) return;
      describe(view);
      show(view);
    },
  });
  return h(
    'div',
    {},
    h('p', {}, h('label', { for: 'band' }, TEXTS.result.band, select)),
    description,
  );
}
