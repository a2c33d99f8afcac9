import type { Pack } from '#engine/model/pack/pack.ts';
import { formatYears, listMapPeriods, listPackPeriods } from '#engine/model/pack/periods.ts';
import { findMeanBand } from '#engine/model/pack/summarised-bands.ts';
import { alignColumns } from '../operator/command.ts';
import { createCellFinder } from './covariates-at.ts';
import type { KnownPlace } from './expected.ts';
import { type PredictedValues, predictCell } from './predicted-cell.ts';
import { findCrossedPair, listQuantileBands } from './quantile-order.ts';

export interface ComparedPlace extends KnownPlace {
  /** One element for each of the pack's periods; null where the map has no data. */
  readonly values: readonly (PredictedValues | null)[];
}

/** @throws CovariateUnavailable */
export async function comparePlaces(
  pack: Pack,
  places: readonly KnownPlace[],
): Promise<readonly ComparedPlace[]> {
  const cellAt = createCellFinder(pack);
  const compared: ComparedPlace[] = [];
  // Predict one place after the other, so that the publisher gets few requests at a time.
  for (const place of places) {
    const cell = cellAt([place.lon, place.lat]);
    const values = await Promise.all(
      listPackPeriods(pack).map((map) => (cell === null ? null : predictCell(map, cell))),
    );
    compared.push({ ...place, values });
  }
  return compared;
}

/** Each line has the published value, the last period's mean and bounds, and earlier means. */
export function formatPlaces(
  { manifest }: Pick<Pack, 'manifest'>,
  places: readonly ComparedPlace[],
): readonly string[] {
  const meanOf = ({ bands }: PredictedValues) =>
    formatFigure(bands[findMeanBand(manifest)] ?? Number.NaN);
  const quantiles = listQuantileBands(manifest);
  const bounds = quantiles.length < 2 ? [] : [...quantiles.slice(0, 1), ...quantiles.slice(-1)];
  const inBrackets = (texts: readonly string[]) =>
    texts.length === 0 ? '' : ` (${texts.join('–')})`;
  const withBounds = (value: PredictedValues): string =>
    meanOf(value) + inBrackets(bounds.map(({ at }) => formatFigure(value.bands[at] ?? Number.NaN)));
  const periods = listPeriods({ manifest });
  const rows = places.map(({ place, lon, lat, published, values }) => [
    place,
    `${lon}`,
    `${lat}`,
    published === null ? 'no data' : formatFigure(published),
    formatValue(values.at(-1), withBounds),
    ...values.slice(0, -1).map((value) => formatValue(value, meanOf)),
  ]);
  const header = [
    'place',
    'lon',
    'lat',
    `published (${manifest.property.unit})`,
    `${periods.at(-1)}${inBrackets(bounds.map(({ name }) => name))}`,
    ...periods.slice(0, -1),
  ];
  return alignColumns([header, ...rows]);
}

function formatValue(
  value: PredictedValues | null | undefined,
  text: (value: PredictedValues) => string,
): string {
  return value === null || value === undefined ? 'no data' : text(value);
}

function listPeriods({ manifest }: Pick<Pack, 'manifest'>): readonly string[] {
  return listMapPeriods(manifest).map(({ years }) =>
    years === null ? 'any year' : formatYears(years),
  );
}

/**
 * A value that differs from the published one by a larger factor is, on a logarithmic scale, closer to ten times or a
 * tenth of the published value than to that value.
 */
const IMPLAUSIBLE_FACTOR = Math.sqrt(10);

/** Returns a sentence for each place whose value is implausible, with the first period in which it is. */
export function findImplausiblePlaces(
  { manifest }: Pick<Pack, 'manifest'>,
  places: readonly ComparedPlace[],
): readonly string[] {
  const { unit } = manifest.property;
  return places.flatMap(({ place, published, values }) => {
    for (const [i, value] of values.entries()) {
      const mean = value?.bands[findMeanBand(manifest)] ?? null;
      const problem =
        describeImplausibleMean(mean, published, unit) ?? describeCrossing(manifest, value);
      if (problem !== null) return [`${place}, ${listPeriods({ manifest })[i]}: ${problem}`];
    }
    return [];
  });
}

function describeImplausibleMean(
  mean: number | null,
  published: number | null,
  unit: string,
): string | null {
  if (published === null)
    return mean === null
      ? null
      : `the map has ${formatFigure(mean)} ${unit} where no data is expected`;
  if (mean === null) return 'the map has no data where a value is published';
  const factor = mean / published;
  if (factor < IMPLAUSIBLE_FACTOR && factor > 1 / IMPLAUSIBLE_FACTOR) return null;
  return `${formatFigure(mean)} ${unit} differs in magnitude from the published ${formatFigure(published)} ${unit}`;
}

function describeCrossing(
  manifest: Pack['manifest'],
  value: PredictedValues | null,
): string | null {
  const pair = value === null ? null : findCrossedPair(listQuantileBands(manifest), value.bands);
  return pair === null ? null : `${pair[1].name} lies below ${pair[0].name}`;
}

function formatFigure(value: number): string {
  return String(Number(value.toPrecision(3)));
}
