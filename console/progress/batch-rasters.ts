import type { Job } from 'soil-batch-client';
import { fill, h } from '../element.ts';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from '../map/bounds.ts';
import type { RasterField, RastersInView } from '../map/rasters-in-view.ts';
import { readout } from '../result/readout.ts';
import { findExpected } from '../result/views.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import type { ColouredModel } from './batch-colours.ts';
import { nameOf } from './job-columns.ts';

/** A URL that ends earlier is renewed before it is used. */
const LEAST_LEFT_MS = 60_000;

/**
 * The cells of a batch's finished fields on the map, and the value under the pointer.
 * @param changed is called when a field gets or loses its cells
 */
export function batchRasters(
  session: Session,
  batchId: string,
  changed: () => void,
  signal: AbortSignal,
) {
  const { client, map } = session;
  const note = h('p', { role: 'status', class: 'muted' });
  const reading = h('div', {});
  const element = h('div', {}, reading, note);
  let jobs: ReadonlyMap<number, Job> = new Map();
  let shown: { readonly model: string; readonly rasters: RastersInView } | null = null;
  let values: ReturnType<typeof readout> | null = null;

  const close = () => {
    values?.leave();
    shown?.rasters.remove();
    [values, shown] = [null, null];
    fill(reading);
  };
  const open = async ({ model }: ColouredModel): Promise<RastersInView | null> => {
    if (shown?.model === model.model) return shown.rasters;
    const { rastersInView } = await import('../map/rasters-in-view.ts');
    if (signal.aborted) return null;
    // Another call may have been faster, and the model of most fields may have changed.
    if (shown?.model === model.model) return shown.rasters;
    close();
    const rasters = rastersInView(map, model, () => {
      const unread = rasters.countUnreadable();
      fill(note, unread === 0 ? null : TEXTS.batch.unreadable(unread));
      changed();
    });
    const reader = {
      readAt(pixel: readonly number[]) {
        const read = rasters.readAt(pixel);
        const job = read === null ? undefined : jobs.get(read.index);
        return read === null || job === undefined ? null : { ...read, name: nameOf(job) };
      },
    };
    values = readout(map, reader, model, undefined);
    fill(reading, values.element);
    shown = { model: model.model, rasters };
    return rasters;
  };
  const urlOf = async (index: number, again: boolean): Promise<string> => {
    const job = jobs.get(index);
    const ends = Date.parse(job?.signed_url_expires_at ?? '');
    const url = job?.signed_cog_url ?? null;
    if (!again && url !== null && ends - Date.now() > LEAST_LEFT_MS) return url;
    if (job === undefined) throw new Error(`no job ${index}`);
    const renewed = await client.batch(batchId).job(job.job_id, { limit: 1, signal });
    if (renewed.signed_cog_url === null) throw new Error(`job ${index} has no raster`);
    return renewed.signed_cog_url;
  };
  return {
    element,
    isDrawn: (index: number): boolean => shown?.rasters.isDrawn(index) === true,
    /** Draws the finished fields of the model that has the colours. */
    async show(
      now: ReadonlyMap<number, Job>,
      polygons: ReadonlyMap<number, Polygonal>,
      coloured: ColouredModel | null,
    ): Promise<void> {
      jobs = now;
      if (coloured === null) return close();
      const fields = [...now.values()].flatMap(({ job_index: index, status, model }) => {
        const polygon = polygons.get(index);
        const isShown = status === 'completed' && model === coloured.model.model;
        const bounds = isShown && polygon !== undefined ? boundsOf([polygon]) : null;
        if (bounds === null) return [];
        const field: RasterField = { index, bounds, urlOf: (again) => urlOf(index, again) };
        return [field];
      });
      if (fields.length === 0) return;
      const rasters = await open(coloured);
      const expected = { band: findExpected(coloured.model.bands), minus: null };
      rasters?.show(fields, expected, coloured.scale.range);
    },
    leave: close,
  };
}
