import Collection from 'ol/Collection.js';
import { doubleClick } from 'ol/events/condition.js';
import type Feature from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import type Geometry from 'ol/geom/Geometry.js';
import Polygon from 'ol/geom/Polygon.js';
import Draw from 'ol/interaction/Draw.js';
import Modify from 'ol/interaction/Modify.js';
import VectorLayer from 'ol/layer/Vector.js';
import VectorSource from 'ol/source/Vector.js';
import type { Polygonal } from '../fields/field.ts';
import type { SoilMap } from './soil-map.ts';
import { cornerStyle, drawingStyle } from './styles.ts';
import { onTheme } from './theme.ts';

/** The last decimal is about a centimetre. */
const DECIMALS = 7;
const FORMAT = new GeoJSON({});

const FEWEST_CORNERS = 3;

export interface Sketch {
  readonly corners: number;
  readonly canRedo: boolean;
  /** The last corner if a key set it; otherwise null. */
  readonly setByKey: Position | null;
}

export interface DrawingEvents {
  readonly drawn: (polygon: Polygonal) => void;
  readonly changed: (sketch: Sketch) => void;
}

type Position = readonly [lon: number, lat: number];

/**
 * Lets the user draw one polygon. With the map focused, Space or Enter sets a corner at the crosshair in the middle of
 * the map; either key, pressed there again, ends the polygon. After a corner set by the pointer, Enter ends the
 * polygon.
 */
export function drawField({ map, element }: SoilMap, { drawn, changed }: DrawingEvents) {
  const draw = new Draw({ type: 'Polygon', style: drawingStyle, minPoints: FEWEST_CORNERS });
  let sketch: Feature | null = null;
  let corners = 0;
  /** The corners that were removed, in order, each with the number of corners that were left. */
  let undone: { readonly corner: number[]; readonly corners: number }[] = [];
  let setByKey: Position | null = null;
  /** OpenLayers changes the sketch in several steps. */
  let isChanging = false;
  const listCorners = (): number[][] => {
    const geometry = sketch?.getGeometry();
    // The ring also contains the position of the pointer, and the first corner again.
    return geometry instanceof Polygon ? (geometry.getCoordinates()[0] ?? []).slice(0, -2) : [];
  };
  const count = (byKey: Position | null) => {
    const now = listCorners().length;
    if (now === corners && byKey === setByKey) return;
    [corners, setByKey] = [now, byKey];
    if (undone.at(-1)?.corners !== corners) undone = [];
    changed({ corners, canRedo: undone.length > 0, setByKey });
  };
  draw.on('drawstart', ({ feature }) => {
    sketch = feature;
    feature.on('change', () => {
      if (!isChanging && listCorners().length !== corners) count(null);
    });
    if (!isChanging) count(null);
  });
  draw.on('drawabort', () => {
    sketch = null;
    if (!isChanging) count(null);
  });
  draw.on('drawend', ({ feature }) => {
    sketch = null;
    count(null);
    const polygon = writePolygon(feature.getGeometry());
    if (polygon !== null) drawn(polygon);
  });
  const finish = () => {
    if (corners >= FEWEST_CORNERS) draw.finishDrawing();
  };
  const change = (step: () => void, byKey: Position | null) => {
    isChanging = true;
    step();
    isChanging = false;
    count(byKey);
  };
  const append = (corner: readonly number[], byKey: Position | null) =>
    change(() => draw.appendCoordinates([[...corner]]), byKey);
  const setAtCrosshair = () => {
    const [lon = Number.NaN, lat = Number.NaN] = map.getView().getCenter() ?? [];
    if (setByKey?.[0] === lon && setByKey[1] === lat) return finish();
    append([lon, lat], [lon, lat]);
  };
  const undo = () => {
    const corner = listCorners().at(-1);
    if (corner === undefined) return;
    undone = [...undone, { corner, corners: corners - 1 }];
    change(() => draw.removeLastPoint(), null);
  };
  const redo = () => {
    const last = undone.at(-1);
    if (last === undefined) return;
    undone = undone.slice(0, -1);
    append(last.corner, null);
  };
  const stopKeys = onKeys(element, {
    ' ': setAtCrosshair,
    Enter: () => (corners > 0 && setByKey === null ? finish() : setAtCrosshair()),
    Backspace: undo,
  });
  map.addInteraction(draw);
  return {
    finish,
    undo,
    redo,
    stop() {
      map.removeInteraction(draw);
      stopKeys();
    },
  };
}

/**
 * A double click on a corner removes it.
 * @returns a function that stops the editing
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
    // The feature stays on the map: without this, each ended interaction would index its outline again at every
    // change.
    edits.clear();
    source.clear();
  };
}

/** @returns a function that stops listening */
function onKeys(element: HTMLElement, actions: Readonly<Record<string, () => void>>): () => void {
  const press = (event: KeyboardEvent) => {
    const action = actions[event.key];
    // Keys pressed on a button of the map belong to that button.
    if (action === undefined || event.target !== element) return;
    // Space would scroll the page.
    event.preventDefault();
    action();
  };
  element.addEventListener('keydown', press);
  return () => element.removeEventListener('keydown', press);
}

function writePolygon(geometry: Geometry | undefined): Polygonal | null {
  if (geometry === undefined) return null;
  const written = FORMAT.writeGeometryObject(geometry, { decimals: DECIMALS });
  if (written.type !== 'Polygon' && written.type !== 'MultiPolygon') return null;
  return written;
}
