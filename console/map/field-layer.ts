import Feature, { type FeatureLike } from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import type Geometry from 'ol/geom/Geometry.js';
import Point from 'ol/geom/Point.js';
import { fromExtent } from 'ol/geom/Polygon.js';
import VectorLayer from 'ol/layer/Vector.js';
import VectorImageLayer from 'ol/layer/VectorImage.js';
import type MapBrowserEvent from 'ol/MapBrowserEvent.js';
import VectorSource from 'ol/source/Vector.js';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from './bounds.ts';
import { isDense } from './dense-outline.ts';
import type { SoilMap } from './soil-map.ts';
import { faultStyle, isFault, type ShapeState, shapeStyle, simpleShapeStyle } from './styles.ts';
import { onTheme } from './theme.ts';

export interface Shape {
  readonly id: string;
  readonly polygon: Polygonal;
  readonly state: ShapeState;
  /** A colour for its value; without it, the field has a transparent fill in its state's colour. */
  readonly fill?: string | null;
  readonly fault: { readonly lon: number; readonly lat: number } | null;
}

export interface FieldLayer {
  readonly show: (shapes: readonly Shape[], selected: string | null) => void;
  /** Null for an unknown field, or for one that is drawn as its bounds. */
  readonly featureOf: (id: string) => Feature | null;
  readonly remove: () => void;
}

const FORMAT = new GeoJSON();
/**
 * The distance within which a corner can be dragged (Modify's default). Clicks this close count as on the field, so
 * that the first click of a double click on a corner does not end editing.
 */
const HIT_PIXELS = 10;

/**
 * With more fields, the map draws them simply, and only after it has stopped moving; until then it moves the
 * old picture.
 */
const MOST_IN_FULL = 1_000;

interface DrawnField {
  readonly shape: Shape;
  /** The polygon first, then the fault. */
  readonly features: readonly Feature[];
  readonly source: VectorSource;
}

/** @param select is called with the clicked field, or with null for a click elsewhere */
export function fieldLayer({ map }: SoilMap, select: (id: string | null) => void): FieldLayer {
  const others = new VectorSource();
  const full = new VectorLayer({
    source: others,
    style: chooseStyle,
    updateWhileInteracting: true,
  });
  const simple = new VectorImageLayer({ source: others, style: chooseSimpleStyle });
  // The selected field has a separate layer, so that dragging a corner does not redraw the other fields.
  const selection = new VectorSource();
  const top = new VectorLayer({
    source: selection,
    style: chooseStyle,
    updateWhileInteracting: true,
  });
  const layers = [full, simple, top];
  for (const layer of layers) map.addLayer(layer);
  const endTheme = onTheme(() => {
    for (const layer of layers) layer.changed();
  });
  const shown = new Map<string, DrawnField>();

  const click = (event: MapBrowserEvent) => {
    const hit = map.forEachFeatureAtPixel(event.pixel, (feature) => String(feature.get('field')), {
      layerFilter: (candidate) => layers.some((layer) => layer === candidate),
      hitTolerance: HIT_PIXELS,
    });
    select(hit ?? null);
  };
  map.on('click', click);

  return {
    show(shapes, selected) {
      full.setVisible(shapes.length <= MOST_IN_FULL);
      simple.setVisible(shapes.length > MOST_IN_FULL);
      const wanted = new Set(shapes.map(({ id }) => id));
      const gone = [...shown].filter(([id]) => !wanted.has(id));
      for (const [id] of gone) shown.delete(id);
      erase(gone.map(([, drawn]) => drawn));
      const [erased, added]: [DrawnField[], DrawnField[]] = [[], []];
      for (const shape of shapes) {
        const before = shown.get(shape.id);
        const source = shape.id === selected ? selection : others;
        const now = { shape, source, features: updateFeatures(shape, before) };
        const { state, fill = null } = shape;
        for (const feature of now.features) {
          feature.setProperties({ state, fill, selected: shape.id === selected });
        }
        shown.set(shape.id, now);
        if (before?.source === source && before.features === now.features) continue;
        if (before !== undefined) erased.push(before);
        added.push(now);
      }
      erase(erased);
      for (const source of [others, selection]) {
        source.addFeatures(
          added.filter((drawn) => drawn.source === source).flatMap(({ features }) => features),
        );
      }
    },
    featureOf(id) {
      const field = shown.get(id);
      return field === undefined || isDense(field.shape.polygon)
        ? null
        : (field.features[0] ?? null);
    },
    remove() {
      for (const layer of layers) map.removeLayer(layer);
      endTheme();
      map.un('click', click);
    },
  };
}

function erase(drawn: readonly DrawnField[]): void {
  for (const { source, features } of drawn)
    for (const feature of features) source.removeFeature(feature);
}

/** Updates the features of a field in place, because the user may be dragging its corners. */
function updateFeatures(shape: Shape, before: DrawnField | undefined): readonly Feature[] {
  const isSame = before?.shape.polygon === shape.polygon && before.shape.fault === shape.fault;
  if (before !== undefined && isSame) return before.features;
  const field = before?.features[0] ?? new Feature<Geometry>({ field: shape.id });
  // Skip an outline that was just dragged there: the interaction would index it again.
  if (field.get('polygon') !== shape.polygon) {
    field.setGeometry(makeGeometry(shape.polygon));
    field.set('polygon', shape.polygon);
  }
  return [field, ...makeFaults(shape)];
}

const chooseStyle = (feature: FeatureLike) =>
  isFault(feature) ? faultStyle() : shapeStyle(feature);

const chooseSimpleStyle = (feature: FeatureLike) =>
  isFault(feature) ? faultStyle() : simpleShapeStyle(feature);

/** A dense outline is drawn as its bounds. */
function makeGeometry(polygon: Polygonal): Geometry {
  const bounds = isDense(polygon) ? boundsOf([polygon]) : null;
  return bounds === null ? FORMAT.readGeometry(polygon) : fromExtent([...bounds]);
}

function makeFaults({ id, fault }: Shape): readonly Feature[] {
  if (fault === null) return [];
  return [new Feature({ geometry: new Point([fault.lon, fault.lat]), field: id })];
}
