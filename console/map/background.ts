import Control from 'ol/control/Control.js';
import TileLayer from 'ol/layer/Tile.js';
import type OpenLayersMap from 'ol/Map.js';
import XYZ from 'ol/source/XYZ.js';
import { fill, h, listen } from '../element.ts';
import { readStored, writeStored } from '../state/tab-storage.ts';
import { TEXTS } from '../texts.ts';

/** A third party's map, from the deployment's configuration. */
export interface Background {
  readonly name: string;
  readonly url: string;
  readonly attribution: string;
  /** The largest zoom level that has tiles. */
  readonly maxZoom: number;
}

const STORED = 'background';

/**
 * Lets the user switch on a map below the fields. Until then no tile is requested, because the map's server would learn
 * which region the user looks at. The tab keeps the choice.
 */
export function addBackgroundControl(map: OpenLayersMap, backgrounds: readonly Background[]): void {
  if (backgrounds.length === 0) return;
  const status = h('p', { role: 'status', class: 'muted' });
  let layer: TileLayer | null = null;
  let credit: Control | null = null;
  const show = (background: Background | null) => {
    if (layer !== null) map.removeLayer(layer);
    if (credit !== null) map.removeControl(credit);
    fill(status);
    [layer, credit] = [null, null];
    if (background === null) return;
    const unavailable = () => fill(status, TEXTS.map.backgroundFails(background.name));
    layer = tileLayer(background, unavailable);
    map.addLayer(layer);
    const element = h('div', { class: 'attribution' }, background.attribution);
    credit = new Control({ element });
    map.addControl(credit);
  };
  const stored = readStored(STORED);
  const first = backgrounds.find(({ name }) => name === stored) ?? null;
  const choices = [null, ...backgrounds].map((background) => {
    const input = h('input', {
      type: 'radio',
      name: 'background',
      checked: background === first,
    });
    listen(input, {
      change: () => {
        writeStored(STORED, background?.name ?? null);
        show(background);
      },
    });
    return h('label', {}, input, background?.name ?? TEXTS.map.noBackground);
  });
  const element = h(
    'details',
    { class: 'background' },
    h('summary', {}, TEXTS.map.background),
    h(
      'fieldset',
      {},
      h('legend', { class: 'visually-hidden' }, TEXTS.map.background),
      ...choices,
      h('p', { class: 'muted' }, TEXTS.map.backgroundLearns),
      status,
    ),
  );
  map.addControl(new Control({ element }));
  show(first);
}

function tileLayer({ url, maxZoom }: Background, unavailable: () => void): TileLayer {
  const source = new XYZ({
    url,
    maxZoom,
    crossOrigin: 'anonymous',
    // OpenStreetMap and others refuse requests that do not state the page's origin.
    referrerPolicy: 'origin',
  });
  source.on('tileloaderror', unavailable);
  return new TileLayer({ zIndex: -3, source, className: 'ol-layer background-tiles' });
}
