import type { Model } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import { button, fill, h } from '../element.ts';
import type { Polygonal } from '../fields/field.ts';
import { findMiddle, lookAt, onKeyboardMove, placeMark } from '../map/keyboard-reading.ts';
import type { PointOnMap, SoilMap } from '../map/soil-map.ts';
import { pointer } from '../media.ts';
import { formatPlace, formatRounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { findExpected, findInterval, levelOf, type RasterView, valueOfView } from './views.ts';

export interface CellReader {
  readonly readAt: (pixel: readonly number[]) => Cell | null;
}

interface Cell {
  readonly values: readonly number[];
  readonly name?: string;
}

interface Reading {
  readonly cell: Cell | null;
  readonly place: readonly [lon: number, lat: number];
  readonly by: 'pointer' | 'keyboard';
}

export function readout(
  map: SoilMap,
  raster: CellReader,
  model: Model,
  polygon: Polygonal | undefined,
) {
  // A screen reader announces values requested with the keyboard, but not each move of the pointer.
  const silent = h('div', {}, TEXTS.result.point[pointer()]);
  const spoken = h('div', { role: 'status' });
  const mark = placeMark(map);
  let view: RasterView | null = null;
  let read: Reading | null = null;
  const draw = () => {
    fill(silent);
    fill(spoken);
    if (read === null || (read.cell === null && read.by === 'pointer')) {
      return fill(silent, TEXTS.result.point[pointer()]);
    }
    const { cell, place, by } = read;
    fill(
      by === 'keyboard' ? spoken : silent,
      cell?.name === undefined ? null : h('div', {}, h('bdi', {}, cell.name)),
      h('div', {}, cell === null ? TEXTS.result.noValue : valueText(cell.values, model)),
      cell === null || view === null ? null : shownText(cell.values, view, model),
      h('div', { class: 'muted' }, formatPlace(...place)),
    );
  };
  const readAt = ({ pixel, lon, lat }: PointOnMap, by: Reading['by']) => {
    mark.show(by === 'keyboard' ? [lon, lat] : null);
    read = { cell: raster.readAt(pixel), place: [lon, lat], by };
    draw();
  };
  /** A place may have been read before its cells arrived. */
  const readMissing = () => {
    if (read === null || read.cell !== null) return;
    const cell = raster.readAt(map.map.getPixelFromCoordinate([...read.place]));
    if (cell === null) return;
    read = { ...read, cell };
    draw();
  };
  const ends = [
    map.onFrame(readMissing),
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

/** The expected value of a cell, with an interval if the model has a symmetric pair of quantiles. */
function valueText(values: readonly number[], model: Model): string {
  const { bands, property } = model;
  const value = `${formatRounded(values[findExpected(model)] ?? Number.NaN)} ${formatUnit(property.unit)}`;
  const interval = findInterval(bands);
  if (interval === null) return value;
  const [low = Number.NaN, high = Number.NaN] = [values[interval.low], values[interval.high]];
  return TEXTS.result.value(
    value,
    levelOf(bands, interval),
    formatRounded(low),
    formatRounded(high),
  );
}

/** The value that the map shows, unless it is the expected value. */
function shownText(values: readonly number[], view: RasterView, model: Model) {
  if (view.minus === null && view.band === findExpected(model)) return null;
  const value = formatRounded(valueOfView(view, (band) => values[band] ?? Number.NaN));
  return h('div', {}, TEXTS.result.shown(view.title, value, view.unit));
}
