import Feature from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import MultiPolygon from 'ol/geom/MultiPolygon.js';
import Point from 'ol/geom/Point.js';
import Polygon from 'ol/geom/Polygon.js';
import VectorLayer from 'ol/layer/Vector.js';
import { unByKey } from 'ol/Observable.js';
import VectorSource from 'ol/source/Vector.js';
import CircleStyle from 'ol/style/Circle.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import type { Polygonal } from '../fields/field.ts';
import type { PointOnMap, SoilMap } from './soil-map.ts';
import { readColour } from './theme.ts';

const FORMAT = new GeoJSON();

/** Finds a place inside a polygon, near its middle, even if the middle itself is outside. */
export function findMiddle(polygon: Polygonal): readonly [lon: number, lat: number] | null {
  const geometry = FORMAT.readGeometry(polygon);
  const inside =
    geometry instanceof Polygon
      ? geometry.getInteriorPoint().getCoordinates()
      : geometry instanceof MultiPolygon
        ? (geometry.getInteriorPoints().getCoordinates()[0] ?? [])
        : [];
  const [lon, lat] = inside;
  return lon === undefined || lat === undefined ? null : [lon, lat];
}

/** Calls the listener once the map is drawn. */
export function lookAt(
  { map }: SoilMap,
  [lon, lat]: readonly [lon: number, lat: number],
  listener: (point: PointOnMap) => void,
): void {
  map.getView().setCenter([lon, lat]);
  map.once('rendercomplete', () => {
    listener({ pixel: map.getPixelFromCoordinate([lon, lat]), lon, lat });
  });
  map.render();
}

/** Calls the listener with the middle of the map after each keyboard move. @returns a function that stops listening */
export function onKeyboardMove(
  { map, element }: SoilMap,
  listener: (point: PointOnMap) => void,
): () => void {
  const key = map.on('moveend', () => {
    if (document.activeElement !== element || !element.matches(':focus-visible')) return;
    const [lon = Number.NaN, lat = Number.NaN] = map.getView().getCenter() ?? [];
    listener({ pixel: map.getPixelFromCoordinate([lon, lat]), lon, lat });
  });
  return () => unByKey(key);
}

interface PlaceMark {
  readonly show: (place: readonly [lon: number, lat: number] | null) => void;
  readonly remove: () => void;
}

export function placeMark({ map }: SoilMap): PlaceMark {
  const source = new VectorSource();
  const layer = new VectorLayer({ source, style: markStyle });
  map.addLayer(layer);
  return {
    show(place) {
      // Clearing the source redraws the whole map, even if the source is empty.
      if (place === null && source.isEmpty()) return;
      source.clear();
      if (place !== null) source.addFeature(new Feature({ geometry: new Point([...place]) }));
    },
    remove() {
      map.removeLayer(layer);
    },
  };
}

function markStyle(): Style[] {
  const ring = (color: string, width: number) =>
    new Style({ image: new CircleStyle({ radius: 8, stroke: new Stroke({ color, width }) }) });
  return [ring(readColour('casing'), 5), ring(readColour('text'), 2)];
}
