import type { Model } from 'soil-batch-client';
import { unitText } from '../../lambdas/model/display/unit-text.ts';
import { button, fill, h } from '../element.ts';
import type { Polygonal } from '../fields/field.ts';
import { lookAt, middleOf, onKeyboardMove } from '../map/middle.ts';
import { placeMark } from '../map/place-mark.ts';
import type { RasterLayer } from '../map/raster-layer.ts';
import type { PointOnMap, SoilMap } from '../map/soil-map.ts';
import { placeText, rounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { intervalOf, levelOf, type RasterView, valueOfView } from './views.ts';

/** The value of a cell: under the pointer, where the map is tapped, or in the middle of the map. */
export function readout(
  map: SoilMap,
  raster: RasterLayer,
  model: Model,
  polygon: Polygonal | undefined,
) {
  const text = h('output', { class: 'readout' }, TEXTS.result.point);
  const mark = placeMark(map);
  let view: RasterView | null = null;
  let read: { readonly values: readonly number[]; readonly place: string } | null = null;
  const draw = () => {
    if (read === null) return fill(text, TEXTS.result.point);
    const { values, place } = read;
    fill(
      text,
      valueText(values, model),
      view === null ? null : shownText(values, view, model),
      h('div', { class: 'muted' }, place),
    );
  };
  const readAt = ({ pixel, lon, lat }: PointOnMap) => {
    const values = raster.valuesAt(pixel);
    read = values === null ? null : { values, place: placeText(lon, lat) };
    draw();
  };
  const ends = [
    map.onPoint((point) => {
      mark.show(null);
      readAt(point);
    }),
    onKeyboardMove(map, (point) => {
      mark.show([point.lon, point.lat]);
      readAt(point);
    }),
    mark.remove,
  ];
  const middle = polygon === undefined ? null : middleOf(polygon);
  const readMiddle = button(TEXTS.result.readMiddle, () => {
    if (middle === null) return;
    mark.show(middle);
    lookAt(map, middle, readAt);
  });
  readMiddle.hidden = middle === null;
  return {
    element: h('div', {}, text, readMiddle),
    show(shown: RasterView) {
      view = shown;
      draw();
    },
    leave() {
      for (const end of ends) end();
    },
  };
}

/** The expected value of a cell, with its interval if the model has quantiles. */
function valueText(values: readonly number[], { bands, property }: Model): string {
  const value = `${rounded(values[expectedOf(bands)] ?? Number.NaN)} ${unitText(property.unit)}`;
  const interval = intervalOf(bands);
  if (interval === null) return value;
  const [low = Number.NaN, high = Number.NaN] = [values[interval.low], values[interval.high]];
  return TEXTS.result.value(value, levelOf(bands, interval), rounded(low), rounded(high));
}

/** The value that the map shows, unless it is the expected one. */
function shownText(values: readonly number[], view: RasterView, { bands, property }: Model) {
  if (view.minus === null && view.band === expectedOf(bands)) return null;
  const value = rounded(valueOfView(view, (band) => values[band] ?? Number.NaN));
  return h('div', {}, TEXTS.result.shown(view.title, value, unitText(property.unit)));
}

function expectedOf(bands: Model['bands']): number {
  return Math.max(
    bands.findIndex(({ level }) => level === null),
    0,
  );
}
