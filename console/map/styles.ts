import type { FeatureLike } from 'ol/Feature.js';
import MultiPoint from 'ol/geom/MultiPoint.js';
import Point from 'ol/geom/Point.js';
import SimpleGeometry from 'ol/geom/SimpleGeometry.js';
import CircleStyle from 'ol/style/Circle.js';
import Fill from 'ol/style/Fill.js';
import RegularShape from 'ol/style/RegularShape.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import { readColour } from './theme.ts';

export type ShapeState = 'draft' | 'pending' | 'processing' | 'completed' | 'failed';

const DASH: Readonly<Record<ShapeState, readonly number[]>> = {
  draft: [],
  pending: [2, 4],
  processing: [8, 4],
  completed: [],
  failed: [10, 4, 2, 4],
};

export function shapeStyle(feature: FeatureLike): Style[] {
  const state: ShapeState = feature.get('state');
  const selected: boolean = feature.get('selected');
  const filled: string | null = feature.get('fill') ?? null;
  if (filled !== null) return valueStyle(filled, selected);
  const width = selected ? 4 : 2;
  const color = readColour(state);
  // A completed field shows its raster, so it has no fill.
  const fill = new Fill({ color: `${color}${state === 'completed' ? '00' : '33'}` });
  return [
    new Style({ stroke: new Stroke({ color: readColour('casing'), width: width + 2 }), fill }),
    new Style({ stroke: new Stroke({ color, width, lineDash: [...DASH[state]] }) }),
  ];
}

/** One thin line is faster to draw, for thousands of fields. */
export function simpleShapeStyle(feature: FeatureLike): Style {
  const color = readColour(feature.get('state'));
  return new Style({
    stroke: new Stroke({ color, width: 1 }),
    fill: new Fill({ color: feature.get('fill') ?? `${color}33` }),
  });
}

function valueStyle(color: string, selected: boolean): Style[] {
  const style = new Style({
    fill: new Fill({ color }),
    stroke: new Stroke({ color: readColour('text'), width: selected ? 4 : 1 }),
  });
  return [style];
}

export function faultStyle(): Style {
  return new Style({
    image: new RegularShape({
      points: 4,
      radius: 11,
      radius2: 0,
      angle: Math.PI / 4,
      stroke: new Stroke({ color: readColour('failed'), width: 3 }),
    }),
    zIndex: 1,
  });
}

export function drawingStyle(): Style {
  const color = readColour('draft');
  return new Style({
    stroke: new Stroke({ color, width: 2 }),
    fill: new Fill({ color: `${color}22` }),
    image: new CircleStyle({
      radius: 6,
      fill: new Fill({ color }),
      stroke: new Stroke({ color: readColour('casing'), width: 2 }),
    }),
  });
}

/** More corners would hide the outline, and slow each frame. */
const MOST_SHOWN_CORNERS = 400;

export function cornerStyle(): Style {
  return new Style({
    image: new CircleStyle({
      radius: 4,
      fill: new Fill({ color: readColour('casing') }),
      stroke: new Stroke({ color: readColour('draft'), width: 2 }),
    }),
    geometry: (feature) => {
      const geometry = feature.getGeometry();
      if (!(geometry instanceof SimpleGeometry)) return;
      const flat = geometry.getFlatCoordinates();
      const stride = geometry.getStride();
      if (flat.length > MOST_SHOWN_CORNERS * stride) return;
      return new MultiPoint(flat, geometry.getLayout());
    },
  });
}

export const isFault = (feature: FeatureLike) => feature.getGeometry() instanceof Point;
