import Collection from 'ol/Collection.js';
import type Feature from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import type Geometry from 'ol/geom/Geometry.js';
import Draw from 'ol/interaction/Draw.js';
import Modify from 'ol/interaction/Modify.js';
import type { Polygonal } from '../fields/field.ts';
import type { SoilMap } from './soil-map.ts';
import { drawingStyle } from './styles.ts';

/** About a centimetre; more digits would only make requests longer. */
const DECIMALS = 7;
const FORMAT = new GeoJSON({});

/**
 * Lets the user draw one polygon.
 * @returns stops drawing
 */
export function drawField({ map }: SoilMap, drawn: (polygon: Polygonal) => void): () => void {
  const draw = new Draw({ type: 'Polygon', style: drawingStyle() });
  draw.on('drawend', ({ feature }) => {
    const polygon = polygonOf(feature.getGeometry());
    if (polygon !== null) drawn(polygon);
  });
  map.addInteraction(draw);
  return () => map.removeInteraction(draw);
}

/**
 * Lets the user move, add and (with Alt) remove the corners of a field.
 * @returns stops it
 */
export function editField(
  { map }: SoilMap,
  feature: Feature,
  edited: (polygon: Polygonal) => void,
): () => void {
  const modify = new Modify({ features: new Collection([feature]), style: drawingStyle() });
  modify.on('modifyend', () => {
    const polygon = polygonOf(feature.getGeometry());
    if (polygon !== null) edited(polygon);
  });
  map.addInteraction(modify);
  return () => map.removeInteraction(modify);
}

function polygonOf(geometry: Geometry | undefined): Polygonal | null {
  if (geometry === undefined) return null;
  const written = FORMAT.writeGeometryObject(geometry, { decimals: DECIMALS });
  if (written.type !== 'Polygon' && written.type !== 'MultiPolygon') return null;
  return written;
}
