import type { Job, JobDetail, Model } from 'soil-batch-client';
import { fill, h } from '../element.ts';
import { failureNotice } from '../failure.ts';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from '../map/bounds.ts';
import type { RasterField, RastersInView, rastersInView } from '../map/rasters-in-view.ts';
import { readout } from '../result/readout.ts';
import { findExpected } from '../result/views.ts';
import { explainError } from '../state/messages.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import type { ColouredModel } from './batch-colours.ts';
import { nameOf } from './job-columns.ts';

/** A URL that expires sooner than this is renewed before it is used. */
const LEAST_LEFT_MS = 60_000;

interface WantedRasters {
  readonly coloured: ColouredModel;
  readonly fields: readonly RasterField[];
}

interface ShownRasters {
  readonly model: Model;
  readonly rasters: RastersInView;
  readonly values: ReturnType<typeof readout>;
}

/** @param changed is called when a field gets or loses its cells */
export function batchRasters(
  session: Session,
  batchId: string,
  changed: () => void,
  signal: AbortSignal,
) {
  const { client, map } = session;
  const reading = h('div', {});
  let jobs: ReadonlyMap<number, Job> = new Map();
  /** The fields with results, and their colours; null if none has cells. */
  let wanted: WantedRasters | null = null;
  let shown: ShownRasters | null = null;
  /** The jobs whose URLs had expired or did not work, read again with new URLs. */
  const renewed = new Map<number, JobDetail>();

  const close = () => {
    shown?.values.leave();
    shown?.rasters.remove();
    shown = null;
    fill(reading);
    failure.clear();
  };
  const open = (model: Model, inView: typeof rastersInView): ShownRasters => {
    let unreadable = 0;
    const rasters = inView(map, model, () => {
      const before = unreadable;
      unreadable = rasters.countUnreadable();
      if (unreadable > before) failure.show(unreadable);
      changed();
    });
    const reader = {
      readAt(pixel: readonly number[]) {
        const read = rasters.readAt(pixel);
        const job = read === null ? undefined : jobs.get(read.index);
        return read === null || job === undefined ? null : { ...read, name: nameOf(job) };
      },
    };
    const values = readout(map, reader, model, undefined);
    fill(reading, values.element);
    return { model, rasters, values };
  };
  const draw = async () => {
    try {
      const { drawsRasters, rastersInView } = await import('../map/rasters-in-view.ts');
      // Other rasters, or none, may be wanted by now.
      if (signal.aborted || wanted === null) return;
      if (!drawsRasters()) return fill(reading, h('p', {}, TEXTS.result.noWebGl));
      const { coloured, fields } = wanted;
      if (shown?.model !== coloured.model) {
        close();
        shown = open(coloured.model, rastersInView);
        changed();
      }
      const expected = { band: findExpected(coloured.model), minus: null };
      shown.rasters.show(fields, expected, coloured.scale.range);
    } catch (reason) {
      if (!signal.aborted) failure.show(reason);
    }
  };
  const failure = failureNotice(
    // Some browsers load a failed script again only after a reload.
    () => (shown === null ? location.reload() : shown.rasters.retry()),
    (reason) =>
      typeof reason === 'number' ? TEXTS.batch.unreadable(reason) : explainError(reason),
  );
  const urlOf = async (index: number, again: boolean): Promise<string> => {
    const job = renewed.get(index) ?? jobs.get(index);
    const ends = Date.parse(job?.signed_url_expires_at ?? '');
    const url = job?.signed_cog_url ?? null;
    if (!again && url !== null && ends - Date.now() > LEAST_LEFT_MS) return url;
    if (job === undefined) throw new Error(`no job ${index}`);
    const now = await client.batch(batchId).job(job.job_id, { limit: 1, signal });
    if (now.signed_cog_url === null) throw new Error(`job ${index} has no raster`);
    renewed.set(index, now);
    return now.signed_cog_url;
  };
  return {
    element: h('div', {}, reading, failure.element),
    isDrawn: (index: number): boolean => shown?.rasters.isDrawn(index) === true,
    show(
      now: ReadonlyMap<number, Job>,
      polygons: ReadonlyMap<number, Polygonal>,
      coloured: ColouredModel | null,
    ): void {
      jobs = now;
      const ref = coloured?.model.model;
      const fields = [...now.values()].flatMap(({ job_index: index, status, model }) => {
        const polygon = polygons.get(index);
        const isShown = status === 'completed' && model === ref;
        const bounds = isShown && polygon !== undefined ? boundsOf([polygon]) : null;
        if (bounds === null) return [];
        const field: RasterField = { index, bounds, urlOf: (again) => urlOf(index, again) };
        return [field];
      });
      wanted = coloured === null || fields.length === 0 ? null : { coloured, fields };
      if (wanted === null) close();
      else void draw();
    },
    leave: close,
  };
}
