import WebGLTileLayer, { type Style } from 'ol/layer/WebGLTile.js';
import GeoTIFF from 'ol/source/GeoTIFF.js';
import type Tile from 'ol/Tile.js';
import TileState from 'ol/TileState.js';
import { getSupportedExtensions } from 'ol/webgl.js';
import type { Model } from 'soil-batch-client';
import { formatHexColour, RAMP_STOPS } from '#engine/display/colour-ramp.ts';
import type { SoilMap } from './soil-map.ts';
import './zstd.ts';

// This module is loaded on demand, with the GeoTIFF reader.

export interface RasterLayer {
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
  readonly unreadable: () => void;
  readonly drawn?: () => void;
}

/** Whether the browser has WebGL. Without WebGL, a map with a raster fails in each frame and shows nothing. */
export function drawsRasters(): boolean {
  return getSupportedExtensions() !== null;
}

/** The raster of a result; its cells are never interpolated. */
export function rasterLayer(
  { map }: SoilMap,
  url: string,
  model: Model,
  { unreadable, drawn = () => {} }: RasterEvents,
): RasterLayer {
  const removal = new AbortController();
  const { signal } = removal;
  const loader = (of: string, headers: HeadersInit) => fetchUnlessAborted(of, { headers, signal });
  const source = new GeoTIFF({
    sources: [{ url, nodata: model.nodata, loader }],
    normalize: false,
    convertToRGB: false,
    interpolate: false,
    // While a tile fades in, its colours are not the legend's.
    transition: 0,
    wrapX: false,
    projection: model.grid.crs,
  });
  // Report later, because the layer handles the same event and would fail if it were removed first.
  const report = () =>
    queueMicrotask(() => {
      if (!signal.aborted) unreadable();
    });
  source.on('change', () => {
    if (source.getState() === 'error') report();
  });
  const loading = new Set<Tile>();
  source.on('tileloadstart', ({ tile }) => loading.add(tile));
  source.on('tileloaderror', ({ tile }) => {
    loading.delete(tile);
    report();
  });
  source.on('tileloadend', ({ tile }) => {
    loading.delete(tile);
    drawn();
  });
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
      removal.abort();
      map.removeLayer(layer);
      // Otherwise a tile whose request was aborted would stay in the map's queue, and the raster would be empty when it
      // is shown again.
      for (const tile of loading) tile.setState(TileState.EMPTY);
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
async function fetchUnlessAborted(url: string, init: RequestInit): Promise<Response> {
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
