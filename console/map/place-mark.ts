import Feature from 'ol/Feature.js';
import Point from 'ol/geom/Point.js';
import VectorLayer from 'ol/layer/Vector.js';
import VectorSource from 'ol/source/Vector.js';
import CircleStyle from 'ol/style/Circle.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import type { SoilMap } from './soil-map.ts';
import { colour } from './theme.ts';

export interface PlaceMark {
  readonly show: (place: readonly [lon: number, lat: number] | null) => void;
  readonly remove: () => void;
}

/** A ring around the place whose value is read without a pointer. */
export function placeMark({ map }: SoilMap): PlaceMark {
  const source = new VectorSource();
  const layer = new VectorLayer({ source, style: markStyle });
  map.addLayer(layer);
  return {
    show(place) {
      // To clear it, even if it is empty, draws the whole map again.
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
  return [ring(colour('casing'), 5), ring(colour('text'), 2)];
}
