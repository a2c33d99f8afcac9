import WebGLTileLayer, { type Style } from 'ol/layer/WebGLTile.js';
import GeoTIFF from 'ol/source/GeoTIFF.js';
import type { Model } from 'soil-batch-client';
import { formatHexColour, RAMP_STOPS } from '#engine/display/colour-ramp.ts';
import type { SoilMap } from './soil-map.ts';
import './zstd.ts';

// Loaded on demand, with the reader of GeoTIFF.

export interface RasterLayer {
  /** Shows a band, or the difference of two, over a range. */
  readonly show: (bands: ShownBands, range: readonly [number, number]) => void;
  /** The values of all bands in the cell at a pixel of the map; null outside the raster. */
  readonly valuesAt: (pixel: readonly number[]) => readonly number[] | null;
  readonly remove: () => void;
}

/** Bands are counted from 0. */
export interface ShownBands {
  readonly band: number;
  readonly minus: number | null;
}

export interface RasterEvents {
  /** Is called for each tile that has its cells. */
  readonly drawn?: () => void;
  /** Ends its requests. */
  readonly signal?: AbortSignal;
}

/**
 * The raster of a result, read by ranges; its cells are shown as they are, never interpolated.
 * @param unreadable is called when its header or a tile cannot be read
 */
export function rasterLayer(
  { map }: SoilMap,
  url: string,
  model: Model,
  unreadable: () => void,
  { drawn = () => {}, signal }: RasterEvents = {},
): RasterLayer {
  const loader = (of: string, headers: HeadersInit, ofRead: AbortSignal | undefined) =>
    fetchUnlessEnded(of, { headers, signal: signal ?? ofRead ?? null });
  const source = new GeoTIFF({
    sources: [{ url, nodata: model.nodata, loader }],
    normalize: false,
    convertToRGB: false,
    interpolate: false,
    // While a tile fades in, its colours are not the legend's.
    transition: 0,
    wrapX: false,
    // The raster is read by its own code of the reference system, of which the map knows the definition.
    projection: model.grid.crs,
  });
  // The layer hears of the same event, and would fail if it were removed before.
  const report = () => queueMicrotask(() => unreadable());
  source.on('change', () => {
    if (source.getState() === 'error') report();
  });
  source.on('tileloaderror', report);
  source.on('tileloadend', drawn);
  const layer = new WebGLTileLayer({ source, zIndex: -1 });
  map.addLayer(layer);
  return {
    show({ band, minus }, range) {
      layer.setStyle(makeStyle(model, { band, minus }, range));
    },
    valuesAt(pixel) {
      const data = layer.getData([...pixel]);
      if (data === null || data instanceof DataView) return null;
      // The last value says whether the cell has data.
      const values = [...data];
      if (values.at(-1) === 0) return null;
      return model.bands.map(
        ({ scale, offset }, at) => (values[at] ?? Number.NaN) * scale + offset,
      );
    },
    remove() {
      map.removeLayer(layer);
      source.dispose();
      layer.dispose();
    },
  };
}

function makeStyle(
  { bands }: Model,
  { band, minus }: ShownBands,
  [low, high]: readonly [number, number],
): Style {
  const shown = makeBandValue(bands, band);
  const value = minus === null ? shown : ['-', shown, makeBandValue(bands, minus)];
  const stops = RAMP_STOPS.flatMap(({ fraction, colour }) => [
    low + (high - low) * fraction,
    formatHexColour(colour),
  ]);
  return {
    color: [
      'case',
      // OpenLayers adds a band that is 0 where the raster has no data.
      ['==', ['band', bands.length + 1], 0],
      [0, 0, 0, 0],
      ['interpolate', ['linear'], value, ...stops],
    ],
  };
}

/** OpenLayers counts bands from 1. */
function makeBandValue(bands: Model['bands'], index: number) {
  const { scale = 1, offset = 0 } = bands[index] ?? {};
  return ['+', ['*', ['band', index + 1], scale], offset];
}

/** OpenLayers logs every error, so the promise of an aborted request never settles. */
async function fetchUnlessEnded(url: string, init: RequestInit): Promise<Response> {
  try {
    const { status, headers, body } = await fetch(url, init);
    return new Response(body === null ? null : await new Response(body).arrayBuffer(), {
      status,
      headers,
    });
  } catch (reason) {
    return init.signal?.aborted === true ? new Promise(() => {}) : Promise.reject(reason);
  }
}
