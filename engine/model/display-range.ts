import type { Band, Manifest } from './pack/manifest.ts';
import { findMeanBand } from './pack/summarised-bands.ts';

/** Lowest and highest value of a colour scale, in the property's unit. */
export type DisplayRange = readonly [low: number, high: number];

/**
 * The range of a band's colours, the same for every result of the model, so that fields can be compared: the
 * manifest's range, or 0 to 1 for the area of applicability, or otherwise the first to the last threshold of the
 * distribution. Null if the manifest has none of these.
 */
export function chooseDisplayRange(
  { distribution }: Pick<Manifest, 'distribution'>,
  { display_range, from }: Pick<Band, 'display_range' | 'from'>,
): DisplayRange | null {
  if (display_range !== undefined) return display_range;
  if (from.kind === 'applicability') return [0, 1];
  const [low, ...higher] = distribution?.thresholds ?? [];
  const high = higher.at(-1);
  return low === undefined || high === undefined ? null : [low, high];
}

/** Whether a band is drawn with its batch's range: the mean and its quantiles share it, so that they can be compared. */
export function isOnBatchRange({ bands }: Pick<Manifest, 'bands'>, band: Band): boolean {
  return band.from.level !== undefined || bands.indexOf(band) === findMeanBand({ bands });
}

/**
 * The band to show: the band with the given name or, without a name, the first band that is not a
 * quantile. Undefined if the model has no band with that name.
 */
export function chooseShownBand(
  { bands }: Pick<Manifest, 'bands'>,
  name?: string,
): Band | undefined {
  if (name !== undefined) return bands.find((band) => band.name === name);
  return bands.find(({ from }) => from.level === undefined) ?? bands[0];
}

/**
 * The lowest and highest of all values, for a model without a display range. Ignores NaN; returns 0 to 1 if there are
 * no values.
 */
export function computeValueRange(bands: readonly ArrayLike<number>[]): DisplayRange {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const values of bands) {
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] ?? Number.NaN;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return [0, 1];
  // A legend needs two different ends even if all values are the same.
  return low === high ? [low, low + 1] : [low, high];
}
