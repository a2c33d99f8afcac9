import Feature from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import type Geometry from 'ol/geom/Geometry.js';
import Point from 'ol/geom/Point.js';
import { fromExtent } from 'ol/geom/Polygon.js';
import VectorLayer from 'ol/layer/Vector.js';
import type MapBrowserEvent from 'ol/MapBrowserEvent.js';
import VectorSource from 'ol/source/Vector.js';
import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from './bounds.ts';
import { isDense } from './dense-outline.ts';
import type { SoilMap } from './soil-map.ts';
import { faultStyle, isFault, type ShapeState, shapeStyle } from './styles.ts';
import { onTheme } from './theme.ts';

/** A field as the map shows it. */
export interface Shape {
  readonly id: string;
  readonly polygon: Polygonal;
  readonly state: ShapeState;
  /** A colour for its value; by default, that of its state shines through. */
  readonly fill?: string | null;
  /** The place where the outline is invalid. */
  readonly fault: { readonly lon: number; readonly lat: number } | null;
}

export interface FieldLayer {
  readonly show: (shapes: readonly Shape[], selected: string | null) => void;
  /** A field whose outline is not drawn has no feature either. */
  readonly featureOf: (id: string) => Feature | null;
  readonly remove: () => void;
}

const FORMAT = new GeoJSON();
/** A corner can be dragged from this far (Modify's default): the first click of two on it must not end editing. */
const HIT_PIXELS = 10;

/** @param select is called with the field that is clicked, or with null */
export function fieldLayer({ map }: SoilMap, select: (id: string | null) => void): FieldLayer {
  const source = new VectorSource();
  const layer = new VectorLayer({
    source,
    style: (feature) => (isFault(feature) ? faultStyle() : shapeStyle(feature)),
    updateWhileInteracting: true,
  });
  /** The features of a field: its polygon first, then its fault. */
  const shown = new Map<string, { readonly shape: Shape; readonly features: readonly Feature[] }>();
  map.addLayer(layer);
  const endTheme = onTheme(() => layer.changed());

  const click = (event: MapBrowserEvent) => {
    const hit = map.forEachFeatureAtPixel(event.pixel, (feature) => String(feature.get('field')), {
      layerFilter: (candidate) => candidate === layer,
      hitTolerance: HIT_PIXELS,
    });
    select(hit ?? null);
  };
  map.on('click', click);

  /** Keeps the feature of a changed field: the user may be dragging its corners. */
  const draw = (shape: Shape, field = new Feature<Geometry>({ field: shape.id })) => {
    // Not what has just been dragged there: the interaction would index its outline again.
    if (field.get('polygon') !== shape.polygon) {
      field.setGeometry(drawnAs(shape.polygon));
      field.set('polygon', shape.polygon);
    }
    const features = [field, ...faultOf(shape)];
    source.addFeatures(features);
    return { shape, features };
  };
  const erase = (features: readonly Feature[]) => {
    for (const feature of features) source.removeFeature(feature);
  };

  return {
    show(shapes, selected) {
      const wanted = new Set(shapes.map(({ id }) => id));
      for (const [id, { features }] of shown) {
        if (wanted.has(id)) continue;
        erase(features);
        shown.delete(id);
      }
      for (const shape of shapes) {
        const before = shown.get(shape.id);
        const isSame =
          before?.shape.polygon === shape.polygon && before.shape.fault === shape.fault;
        if (before !== undefined && !isSame) erase(before.features);
        const now = before !== undefined && isSame ? before : draw(shape, before?.features[0]);
        for (const feature of now.features) {
          const { state, fill = null } = shape;
          feature.setProperties({ state, fill, selected: shape.id === selected });
        }
        shown.set(shape.id, { ...now, shape });
      }
    },
    featureOf(id) {
      const field = shown.get(id);
      return field === undefined || isDense(field.shape.polygon)
        ? null
        : (field.features[0] ?? null);
    },
    remove() {
      map.removeLayer(layer);
      endTheme();
      map.un('click', click);
    },
  };
}

/** A dense outline is drawn as its bounds. */
function drawnAs(polygon: Polygonal): Geometry {
  const bounds = isDense(polygon) ? boundsOf([polygon]) : null;
  return bounds === null ? FORMAT.readGeometry(polygon) : fromExtent([...bounds]);
}

function faultOf({ id, fault }: Shape): readonly Feature[] {
  if (fault === null) return [];
  return [new Feature({ geometry: new Point([fault.lon, fault.lat]), field: id })];
}
