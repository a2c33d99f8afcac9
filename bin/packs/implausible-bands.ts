import type { Manifest } from '#engine/model/pack/manifest.ts';
import { findStoredSupport } from '#engine/model/pack/property.ts';
import { createTrainingTest, TOLERATED_OUTSIDE_SHARE } from '#engine/model/trained-values.ts';
import { figure } from './sample-table.ts';
import type { PredictedValues } from './sampled-cells.ts';

/** What each band may not be, wherever it is predicted. @param places what they are called, e.g. `cells` */
export function implausibleBands(
  manifest: Manifest,
  predicted: readonly PredictedValues[],
  places: string,
): readonly string[] {
  return [
    ...constantBands(manifest, predicted, places),
    ...impossibleValues(manifest, predicted, places),
  ];
}

/** In fewer places, chance may make the values equal. */
const FEWEST_PLACES = 10;

function constantBands(
  manifest: Manifest,
  predicted: readonly PredictedValues[],
  places: string,
): readonly string[] {
  if (predicted.length < FEWEST_PLACES) return [];
  return manifest.bands.flatMap(({ name, overviews }, at) => {
    const [only, ...others] = new Set(predicted.map((place) => place.bands[at]));
    if (only === undefined || others.length > 0 || overviews !== 'average') return [];
    return [
      `${name} is ${figure(only)} in all ${predicted.length} ${places}. ${constantHint(manifest, predicted)}`,
    ];
  });
}

/** The values of the training tell extrapolation from other inputs than the training's. */
function constantHint(manifest: Manifest, predicted: readonly PredictedValues[]): string {
  const isOutside = createTrainingTest(manifest);
  const outside = predicted.filter(({ covariates }) => isOutside?.(covariates, 0) ?? false);
  return outside.length > TOLERATED_OUTSIDE_SHARE * predicted.length
    ? "The covariates lie outside the training's values there. Check their files, scale and nodata; if they are right, the model extrapolates"
    : 'Check the order of the covariates, and whether the model was trained on scaled values';
}

function impossibleValues(
  manifest: Manifest,
  predicted: readonly PredictedValues[],
  places: string,
): readonly string[] {
  const { name, unit } = manifest.property;
  return manifest.bands.flatMap((band, at) => {
    if (band.from.kind === 'applicability') return [];
    const { lower, upper } = findStoredSupport(manifest, band);
    const beyond = predicted
      .map(({ bands }) => bands[at] ?? Number.NaN)
      .filter((value) => value < lower || value > upper);
    const [first] = beyond;
    if (first === undefined) return [];
    return [
      `${band.name} has values that ${name} cannot have in ${countText(beyond, predicted, places)}, such as ${figure(first)} ${unit}: it is ${supportText({ lower, upper })}`,
    ];
  });
}

/** Writes a range such as "at least 0". */
export function supportText({ lower, upper }: ReturnType<typeof findStoredSupport>): string {
  if (upper === Infinity) return `at least ${figure(lower)}`;
  if (lower === -Infinity) return `at most ${figure(upper)}`;
  return `from ${figure(lower)} to ${figure(upper)}`;
}

/** Writes a count such as "3 of 60 cells (5.0 %)". */
export function countText(
  some: readonly unknown[],
  all: readonly unknown[],
  places: string,
): string {
  const percent = ((100 * some.length) / all.length).toFixed(1);
  return `${some.length} of ${all.length} ${places} (${percent} %)`;
}
