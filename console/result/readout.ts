import type { Model } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import { button, fill, h } from '../element.ts';
import type { Polygonal } from '../fields/field.ts';
import { findMiddle, lookAt, onKeyboardMove, placeMark } from '../map/keyboard-reading.ts';
import type { RasterLayer } from '../map/raster-layer.ts';
import type { PointOnMap, SoilMap } from '../map/soil-map.ts';
import { pointer } from '../media.ts';
import { placeText, rounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { findInterval, levelOf, type RasterView, valueOfView } from './views.ts';

interface Reading {
  /** It is null outside the raster. */
  readonly values: readonly number[] | null;
  readonly place: string;
  readonly by: 'pointer' | 'keyboard';
}

/** The value of a cell: under the pointer, where the map is tapped, or in the middle of the map. */
export function readout(
  map: SoilMap,
  raster: RasterLayer,
  model: Model,
  polygon: Polygonal | undefined,
) {
  // A screen reader says what was asked for with the keyboard, but not each move of the pointer.
  const silent = h('div', {}, TEXTS.result.point[pointer()]);
  const spoken = h('div', { role: 'status' });
  const mark = placeMark(map);
  let view: RasterView | null = null;
  let read: Reading | null = null;
  const draw = () => {
    fill(silent);
    fill(spoken);
    if (read === null) return fill(silent, TEXTS.result.point[pointer()]);
    const { values, place, by } = read;
    fill(
      by === 'keyboard' ? spoken : silent,
      h('div', {}, values === null ? TEXTS.result.noValue : valueText(values, model)),
      values === null || view === null ? null : shownText(values, view, model),
      h('div', { class: 'muted' }, place),
    );
  };
  const readAt = ({ pixel, lon, lat }: PointOnMap, by: Reading['by']) => {
    mark.show(by === 'keyboard' ? [lon, lat] : null);
    const values = raster.valuesAt(pixel);
    read = values === null && by === 'pointer' ? null : { values, place: placeText(lon, lat), by };
    draw();
  };
  const ends = [
    map.onPoint((point) => readAt(point, 'pointer')),
    onKeyboardMove(map, (point) => readAt(point, 'keyboard')),
    mark.remove,
  ];
  const middle = polygon === undefined ? null : findMiddle(polygon);
  const readMiddle = button(TEXTS.result.readMiddle, () => {
    if (middle === null) return;
    mark.show(middle);
    lookAt(map, middle, (point) => readAt(point, 'keyboard'));
  });
  readMiddle.hidden = middle === null;
  return {
    element: h(
      'div',
      { class: 'action' },
      h('div', { class: 'readout' }, silent, spoken),
      readMiddle,
    ),
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
  const value = `${rounded(values[findExpected(bands)] ?? Number.NaN)} ${formatUnit(property.unit)}`;
  const interval = findInterval(bands);
  if (interval === null) return value;
  const [low = Number.NaN, high = Number.NaN] = [values[interval.low], values[interval.high]];
  return TEXTS.result.value(value, levelOf(bands, interval), rounded(low), rounded(high));
}

/** The value that the map shows, unless it is the expected one. */
function shownText(values: readonly number[], view: RasterView, { bands }: Model) {
  if (view.minus === null && view.band === findExpected(bands)) return null;
  const value = rounded(valueOfView(view, (band) => values[band] ?? Number.NaN));
  return h('div', {}, TEXTS.result.shown(view.title, value, view.unit));
}

function findExpected(bands: Model['bands']): number {
  return Math.max(
    bands.findIndex(({ level }) => level === null),
    0,
  );
}
