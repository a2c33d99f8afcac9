import GeoJSON from 'ol/format/GeoJSON.js';
import MultiPolygon from 'ol/geom/MultiPolygon.js';
import Polygon from 'ol/geom/Polygon.js';
import { unByKey } from 'ol/Observable.js';
import type { Polygonal } from '../fields/field.ts';
import type { PointOnMap, SoilMap } from './soil-map.ts';

const FORMAT = new GeoJSON();

/** A place inside a polygon, near its middle, even where the middle itself is outside. */
export function middleOf(polygon: Polygonal): readonly [lon: number, lat: number] | null {
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

/** Moves the map to a place, and calls the listener once it is drawn. */
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

/**
 * Calls the listener with the middle of the map after each move that was made with the keyboard.
 * @returns ends it
 */
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
