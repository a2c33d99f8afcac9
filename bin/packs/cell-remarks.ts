import type { Covariate, Manifest } from '#engine/model/pack/manifest.ts';
import { findMeanBand } from '#engine/model/pack/summarised-bands.ts';
import { createTrainingTest, TOLERATED_OUTSIDE_SHARE } from '#engine/model/trained-values.ts';
import { countText, implausibleBands } from './implausible-bands.ts';
import { quantileBands } from './quantile-order.ts';
import type { PredictedValues } from './sampled-cells.ts';

/** What predicted places show of a pack. */
export interface CellRemark {
  /** Whether a right pack hardly has it. */
  readonly isWarning: boolean;
  readonly text: string;
}

/** Empty for a pack whose cells are like its training. */
export function cellRemarks(
  manifest: Manifest,
  cells: readonly PredictedValues[],
): readonly CellRemark[] {
  return [
    ...implausibleBands(manifest, cells, 'cells').map((text) => ({ isWarning: true, text })),
    ...outsideRemarks(manifest, cells, 'cells'),
    ...meansOutside(manifest, cells),
  ];
}

/** Values outside those of the training. @param places what the predicted places are called, e.g. `cells` */
export function outsideRemarks(
  manifest: Manifest,
  predicted: readonly PredictedValues[],
  places: string,
): readonly CellRemark[] {
  return [
    ...covariatesOutside(manifest, predicted, places),
    ...predictionsOutside(manifest, predicted, places),
  ];
}

function covariatesOutside(
  { covariates }: Manifest,
  predicted: readonly PredictedValues[],
  places: string,
): readonly CellRemark[] {
  return covariates.flatMap((covariate, at) => {
    const isOutside = createTrainingTest({ covariates: [covariate] });
    if (isOutside === null) return [];
    const values = predicted.map((place) => place.covariates[at] ?? Number.NaN);
    const trained = {
      ...trainedOf(covariate),
      isOutside: (value: number) => isOutside([value], 0),
    };
    const lost = lostNodata(values.filter(trained.isOutside), trained);
    if (lost !== null) {
      const among = values.filter((value) => value === lost);
      return [
        {
          isWarning: true,
          text: `${covariate.name} is ${exact(lost)}, far outside the training's ${trained.text}, in ${countText(among, values, places)}. Is it nodata that its file and the manifest do not state?`,
        },
      ];
    }
    const hint =
      'Check its file, scale and nodata, and whether the model was trained on its values; otherwise the map extrapolates there';
    return remarkOn(covariate.name, { values, places }, trained, hint);
  });
}

function predictionsOutside(
  { trained_range, ...manifest }: Manifest,
  predicted: readonly PredictedValues[],
  places: string,
): readonly CellRemark[] {
  const at = findMeanBand(manifest);
  const band = manifest.bands[at];
  if (trained_range === undefined || band === undefined) return [];
  const values = predicted.map(({ bands }) => bands[at] ?? Number.NaN);
  const hint = 'Check the unit, and whether a logarithm was turned back';
  const [least, most] = trained_range.map(Math.fround);
  const isOutside = (value: number): boolean => value < (least ?? value) || value > (most ?? value);
  return remarkOn(band.name, { values, places }, { ...ofRange(trained_range), isOutside }, hint);
}

/** Means outside the lowest and the highest quantile, which skewed distributions have in few cells. */
function meansOutside(
  { bands }: Pick<Manifest, 'bands'>,
  cells: readonly PredictedValues[],
): readonly CellRemark[] {
  const mean = bands.findIndex(({ name }) => name === 'mean');
  const quantiles = quantileBands({ bands });
  const [lower, upper] = [quantiles[0], quantiles.at(-1)];
  if (mean < 0 || lower === undefined || upper === undefined || lower === upper) return [];
  const outside = cells.filter(({ bands: values }) => {
    const value = values[mean] ?? 0;
    return value < (values[lower.at] ?? 0) || value > (values[upper.at] ?? 0);
  });
  const isWarning = outside.length > TOLERATED_OUTSIDE_SHARE * cells.length;
  const text = `mean lies outside ${lower.name} to ${upper.name} in ${countText(outside, cells, 'cells')}`;
  const hint = 'Check the order of the targets';
  return [{ isWarning, text: isWarning ? `${text}. ${hint}` : text }];
}

interface Trained {
  readonly text: string;
  readonly least: number;
  readonly most: number;
  readonly isClass: boolean;
  isOutside(value: number): boolean;
}

function trainedOf(covariate: Covariate): Omit<Trained, 'isOutside'> {
  if (covariate.trained_range !== undefined) return ofRange(covariate.trained_range);
  const classes = covariate.kind === 'raster' ? (covariate.trained_classes ?? []) : [];
  const range = ofRange([Math.min(...classes), Math.max(...classes)]);
  return { ...range, text: `classes ${classes.join(', ')}`, isClass: true };
}

function ofRange([least, most]: readonly [number, number]): Omit<Trained, 'isOutside'> {
  return { text: `${exact(least)} to ${exact(most)}`, least, most, isClass: false };
}

/** The share of the training's range by which values of the same kind may exceed it. */
const FAR_OUTSIDE = 0.05;

/** One value that most of the places outside have, where measured values differ; null without one. */
function lostNodata(outside: readonly number[], { least, most, isClass }: Trained): number | null {
  const counts = new Map<number, number>();
  for (const value of outside) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [value, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
  if (count < 2 || 2 * count <= outside.length) return null;
  const distance = Math.max(least - value, value - most);
  // A class that the model does not know differs by little; 0 is a usual nodata.
  const isFar = isClass ? value === 0 : distance > FAR_OUTSIDE * (most - least);
  return isFar ? value : null;
}

/** A value that is further away than the training's values are apart is of another kind, such as nodata. */
function remarkOn(
  name: string,
  { values, places }: { readonly values: readonly number[]; readonly places: string },
  trained: Trained,
  hint: string,
): readonly CellRemark[] {
  const outside = values.filter(trained.isOutside);
  if (outside.length === 0) return [];
  const { least, most } = trained;
  const distance = (value: number): number => Math.max(least - value, value - most);
  const furthest = outside.reduce((a, b) => (distance(b) > distance(a) ? b : a));
  const isWarning =
    outside.length > TOLERATED_OUTSIDE_SHARE * values.length || distance(furthest) > most - least;
  const text = `${name} lies outside the training's ${trained.text} in ${countText(outside, values, places)}, such as ${exact(furthest)}`;
  return [{ isWarning, text: isWarning ? `${text}. ${hint}` : text }];
}

/** Writes the digits of a coordinate in metres, and no more. */
const exact = (value: number): string => String(Number(value.toPrecision(7)));
