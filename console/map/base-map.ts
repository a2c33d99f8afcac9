import Control from 'ol/control/Control.js';
import TileLayer from 'ol/layer/Tile.js';
import type OpenLayersMap from 'ol/Map.js';
import XYZ from 'ol/source/XYZ.js';
import { h } from '../element.ts';

/** A third party's map below the fields. */
export interface BaseMap {
  /** The template of its tiles in Web Mercator. */
  readonly url: string;
  /** Whom to credit for it, as its provider demands. */
  readonly attribution: string | null;
}

export function addBaseMap(map: OpenLayersMap, { url, attribution }: BaseMap): void {
  // OpenStreetMap and others refuse requests that do not tell the origin of the page.
  const source = new XYZ({ url, crossOrigin: 'anonymous', referrerPolicy: 'origin' });
  map.addLayer(new TileLayer({ zIndex: -3, source }));
  if (attribution === null) return;
  map.addControl(new Control({ element: h('div', { class: 'attribution' }, attribution) }));
}
