import type { DisplayRange } from './display-range.ts';

/** The lowest and highest of all values, for a model without a display range; NaN is no value. */
export function valueRange(bands: readonly ArrayLike<number>[]): DisplayRange {
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
  // A legend of one value also has two ends.
  return low === high ? [low, low + 1] : [low, high];
}
