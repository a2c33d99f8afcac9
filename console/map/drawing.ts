import Collection from 'ol/Collection.js';
import { doubleClick } from 'ol/events/condition.js';
import type Feature from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import type Geometry from 'ol/geom/Geometry.js';
import Draw from 'ol/interaction/Draw.js';
import Modify from 'ol/interaction/Modify.js';
import VectorLayer from 'ol/layer/Vector.js';
import VectorSource from 'ol/source/Vector.js';
import type { Polygonal } from '../fields/field.ts';
import { verticesOf } from './bounds.ts';
import type { SoilMap } from './soil-map.ts';
import { cornerStyle, drawingStyle } from './styles.ts';
import { onTheme } from './theme.ts';

/** About a centimetre; more digits would only make requests longer. */
const DECIMALS = 7;
const FORMAT = new GeoJSON({});

const FEWEST_CORNERS = 3;

/** Lets the user draw one polygon. With the map focused, Enter ends it and Backspace removes its last corner. */
export function drawField({ map, element }: SoilMap, drawn: (polygon: Polygonal) => void) {
  const draw = new Draw({ type: 'Polygon', style: drawingStyle, minPoints: FEWEST_CORNERS });
  let sketch: Feature | null = null;
  draw.on('drawstart', ({ feature }) => {
    sketch = feature;
  });
  draw.on('drawend', ({ feature }) => {
    sketch = null;
    const polygon = writePolygon(feature.getGeometry());
    if (polygon !== null) drawn(polygon);
  });
  const finish = () => {
    const outline = writePolygon(sketch?.getGeometry());
    // Its ring also has the place of the pointer, and its first corner again.
    const corners = outline === null ? 0 : verticesOf(outline).length - 2;
    if (corners >= FEWEST_CORNERS) draw.finishDrawing();
  };
  const stopKeys = onKeys(element, { Enter: finish, Backspace: () => draw.removeLastPoint() });
  map.addInteraction(draw);
  return {
    /** Ends the polygon if it has enough corners. */
    finish,
    stop() {
      map.removeInteraction(draw);
      stopKeys();
    },
  };
}

/**
 * Lets the user move, add and (by a double click) remove the corners of a field.
 * @returns stops it
 */
export function editField(
  { map }: SoilMap,
  feature: Feature,
  edited: (polygon: Polygonal) => void,
): () => void {
  const edits = new Collection([feature]);
  const modify = new Modify({
    features: edits,
    style: drawingStyle,
    deleteCondition: doubleClick,
  });
  modify.on('modifyend', () => {
    const polygon = writePolygon(feature.getGeometry());
    if (polygon === null) return;
    feature.set('polygon', polygon);
    edited(polygon);
  });
  const source = new VectorSource({ features: [feature] });
  const corners = new VectorLayer({
    source,
    style: cornerStyle,
    updateWhileInteracting: true,
    zIndex: 1,
  });
  map.addLayer(corners);
  const endTheme = onTheme(() => corners.changed());
  map.addInteraction(modify);
  return () => {
    map.removeInteraction(modify);
    map.removeLayer(corners);
    endTheme();
    // Each would go on indexing the outline at every change of the feature, which stays on the map.
    edits.clear();
    source.clear();
  };
}

/** @returns a function that stops listening */
function onKeys(element: HTMLElement, actions: Readonly<Record<string, () => void>>): () => void {
  const press = ({ key }: KeyboardEvent) => actions[key]?.();
  element.addEventListener('keydown', press);
  return () => element.removeEventListener('keydown', press);
}

function writePolygon(geometry: Geometry | undefined): Polygonal | null {
  if (geometry === undefined) return null;
  const written = FORMAT.writeGeometryObject(geometry, { decimals: DECIMALS });
  if (written.type !== 'Polygon' && written.type !== 'MultiPolygon') return null;
  return written;
}
