import { unByKey } from 'ol/Observable.js';
import type { Model } from 'soil-batch-client';
import type { Bounds } from './bounds.ts';
import { type RasterLayer, rasterLayer, type ShownBands } from './raster-layer.ts';
import type { SoilMap } from './soil-map.ts';

// This module is loaded on demand, with the GeoTIFF reader.

export { drawsRasters } from './raster-layer.ts';

export interface RasterField {
  readonly index: number;
  readonly bounds: Bounds;
  /** A URL that is valid now: signed URLs expire. `again` requests another. */
  readonly urlOf: (again: boolean) => Promise<string>;
}

export interface RastersInView {
  readonly show: (
    fields: readonly RasterField[],
    bands: ShownBands,
    range: readonly [number, number],
  ) => void;
  readonly isDrawn: (index: number) => boolean;
  readonly countUnreadable: () => number;
  readonly retry: () => void;
  /** The field at a pixel of the map, and the values of all bands there; null outside the rasters. */
  readonly readAt: (
    pixel: readonly number[],
  ) => { readonly index: number; readonly values: readonly number[] } | null;
  readonly remove: () => void;
}

/** The most rasters shown together: each is read from a separate file and holds tiles in the graphics card's memory. */
const MOST_RASTERS = 20;
/** Smaller fields have the colour of their mean. */
const FEWEST_PIXELS = 12;
/** How many times larger another field must be to replace a shown field, whose raster is already read. */
const STAYING = 2;
/** A raster is read again once, from a new URL. */
const MOST_ATTEMPTS = 2;

interface ShownRaster {
  /** Null until the URL is known. */
  layer: RasterLayer | null;
  isDrawn: boolean;
}

/**
 * The rasters of the fields in view, the largest on the screen first.
 * @param changed is called when a field gets or loses its cells
 */
export function rastersInView(soilMap: SoilMap, model: Model, changed: () => void): RastersInView {
  const { map } = soilMap;
  const shown = new Map<number, ShownRaster>();
  const attempts = new Map<number, number>();
  let fields: readonly RasterField[] = [];
  let style: { readonly bands: ShownBands; readonly range: readonly [number, number] } | null =
    null;

  const remove = (index: number) => {
    shown.get(index)?.layer?.remove();
    shown.delete(index);
  };
  const fail = (index: number) => {
    attempts.set(index, (attempts.get(index) ?? 0) + 1);
    remove(index);
    update();
    changed();
  };
  const add = async ({ index, urlOf }: RasterField) => {
    const raster: ShownRaster = { layer: null, isDrawn: false };
    shown.set(index, raster);
    const url = await urlOf(attempts.has(index)).catch(() => null);
    // The map may have moved away meanwhile, and perhaps back.
    if (shown.get(index) !== raster || style === null) return;
    if (url === null) return fail(index);
    raster.layer = rasterLayer(soilMap, url, model, {
      unreadable: () => fail(index),
      drawn() {
        if (raster.isDrawn) return;
        raster.isDrawn = true;
        changed();
      },
    });
    raster.layer.show(style.bands, style.range);
  };
  /** Whether the map had no frame at the last update: before its first frame, or while it is hidden. */
  let isBlank = false;
  const update = () => {
    const readable = fields.filter(({ index }) => (attempts.get(index) ?? 0) < MOST_ATTEMPTS);
    const wanted = chooseLargest(soilMap, readable, shown);
    isBlank = wanted === null;
    if (wanted === null) return;
    const kept = new Set(wanted.map(({ index }) => index));
    const gone = [...shown.keys()].filter((index) => !kept.has(index));
    const hidden = gone.filter((index) => shown.get(index)?.isDrawn === true);
    for (const index of gone) remove(index);
    for (const field of wanted) if (!shown.has(field.index)) void add(field);
    if (hidden.length > 0) changed();
  };
  const key = map.on('moveend', update);
  // No move is reported when the map is first drawn, or drawn in the same place after it was hidden.
  const endFrames = soilMap.onFrame(() => {
    if (isBlank) update();
  });
  return {
    show(now, bands, range) {
      fields = now;
      const isSame =
        style?.bands.band === bands.band &&
        style.bands.minus === bands.minus &&
        style.range.join() === range.join();
      style = { bands, range };
      // Setting an unchanged style would compile its shaders again.
      if (!isSame) for (const { layer } of shown.values()) layer?.show(bands, range);
      update();
    },
    isDrawn: (index) => shown.get(index)?.isDrawn === true,
    countUnreadable: () => [...attempts.values()].filter((count) => count >= MOST_ATTEMPTS).length,
    retry() {
      attempts.clear();
      update();
    },
    readAt(pixel) {
      for (const [index, { layer, isDrawn }] of shown) {
        const values = isDrawn ? layer?.valuesAt(pixel) : null;
        if (values) return { index, values };
      }
      return null;
    },
    remove() {
      unByKey(key);
      endFrames();
      for (const index of [...shown.keys()]) remove(index);
    },
  };
}

/** The fields in view that are large enough for cells, the largest first; null while the map has no frame. */
function chooseLargest(
  { map }: SoilMap,
  fields: readonly RasterField[],
  shown: ReadonlyMap<number, unknown>,
): readonly RasterField[] | null {
  const [width = 0, height = 0] = map.getSize() ?? [];
  if (map.getPixelFromCoordinate(map.getView().getCenter() ?? []) === null) return null;
  return fields
    .flatMap((field) => {
      const [west, south, east, north] = field.bounds;
      const corners = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
      ].map((corner) => map.getPixelFromCoordinate(corner));
      const [xs, ys] = [0, 1].map((axis) => corners.map((pixel) => pixel?.[axis] ?? Number.NaN));
      const [left, right] = [Math.min(...(xs ?? [])), Math.max(...(xs ?? []))];
      const [top, bottom] = [Math.min(...(ys ?? [])), Math.max(...(ys ?? []))];
      const isInView = right > 0 && left < width && bottom > 0 && top < height;
      const isLarge = Math.max(right - left, bottom - top) >= FEWEST_PIXELS;
      if (!isInView || !isLarge) return [];
      const size = (right - left) * (bottom - top);
      return [{ field, size: shown.has(field.index) ? STAYING * size : size }];
    })
    .toSorted((a, b) => b.size - a.size)
    .slice(0, MOST_RASTERS)
    .map(({ field }) => field);
}
