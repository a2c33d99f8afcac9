import type { Manifest } from '#engine/model/pack/manifest.ts';
import { parseQuantileLevel } from '#engine/model/pack/summarised-bands.ts';

export interface QuantileBand {
  readonly name: string;
  readonly at: number;
  readonly level: number;
}

/** The bands are in ascending order of level. */
export function listQuantileBands({ bands }: Pick<Manifest, 'bands'>): readonly QuantileBand[] {
  return bands
    .flatMap((band, at) => {
      const level = parseQuantileLevel(band);
      return level === null ? [] : [{ name: band.name, at, level }];
    })
    .sort((a, b) => a.level - b.level);
}

/**
 * Finds two quantile bands in the wrong order, where the lower quantile has the higher value; null if there are none.
 * @param values one value per band
 */
export function findCrossedPair(
  bands: readonly QuantileBand[],
  values: readonly number[],
): readonly [QuantileBand, QuantileBand] | null {
  for (const [i, lower] of bands.entries()) {
    const upper = bands.slice(i + 1).find(({ at }) => (values[at] ?? 0) < (values[lower.at] ?? 0));
    if (upper !== undefined) return [lower, upper];
  }
  return null;
}
