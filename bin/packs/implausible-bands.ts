import type { Manifest } from '#engine/model/pack/manifest.ts';
import { storedSupport } from '#engine/model/pack/property.ts';
import { figure } from './sample-table.ts';

/** A predicted place: its values in the bands' unit and order, decoded from the stored cell. */
interface Predicted {
  readonly bands: readonly number[];
}

/** What each band may not be, wherever it is predicted. @param places what they are called, e.g. `cells` */
export function implausibleBands(
  manifest: Manifest,
  predicted: readonly Predicted[],
  places: string,
): readonly string[] {
  return [
    ...constantBands(manifest, predicted, places),
    ...impossibleValues(manifest, predicted, places),
  ];
}

/** With fewer places, chance may make their values equal. */
const FEWEST_PLACES = 10;

function constantBands(
  { bands }: Manifest,
  predicted: readonly Predicted[],
  places: string,
): readonly string[] {
  if (predicted.length < FEWEST_PLACES) return [];
  return bands.flatMap(({ name, overviews }, at) => {
    const [only, ...others] = new Set(predicted.map((place) => place.bands[at]));
    if (only === undefined || others.length > 0 || overviews !== 'average') return [];
    return [
      `${name} is ${figure(only)} in all ${predicted.length} ${places}. Check the order of the covariates, and whether the model was trained on scaled values`,
    ];
  });
}

function impossibleValues(
  manifest: Manifest,
  predicted: readonly Predicted[],
  places: string,
): readonly string[] {
  const { name, unit } = manifest.property;
  return manifest.bands.flatMap((band, at) => {
    const { lower, upper } = storedSupport(manifest, band);
    const beyond = predicted
      .map(({ bands }) => bands[at] ?? Number.NaN)
      .filter((value) => value < lower || value > upper);
    const [first] = beyond;
    if (first === undefined) return [];
    return [
      `${band.name} has values that ${name} cannot have in ${shareOf(beyond, predicted, places)}, such as ${figure(first)} ${unit}: it lies from ${figure(lower)} to ${figure(upper)}`,
    ];
  });
}

export function shareOf(some: readonly unknown[], all: readonly unknown[], places: string): string {
  const percent = ((100 * some.length) / all.length).toFixed(1);
  return `${some.length} of ${all.length} ${places} (${percent} %)`;
}
