import type { Manifest } from '#engine/model/pack/manifest.ts';
import { parseQuantileLevel } from '#engine/model/pack/summarised-bands.ts';
import { tableCell } from './sample-table.ts';
import type { PredictedValues, SampledCell } from './sampled-cells.ts';

/** A band that is a quantile, with its index among the bands. */
export interface QuantileBand {
  readonly name: string;
  readonly at: number;
  /** The nominal level, such as 0.05. */
  readonly level: number;
}

/** Quantile bands by ascending level. */
export function quantileBands({ bands }: Pick<Manifest, 'bands'>): readonly QuantileBand[] {
  return bands
    .flatMap((band, at) => {
      const level = parseQuantileLevel(band);
      return level === null ? [] : [{ name: band.name, at, level }];
    })
    .sort((a, b) => a.level - b.level);
}

/** The error if a lower quantile is above a higher one in any cell; null if there is none. */
export function crossedQuantiles(
  bands: readonly QuantileBand[],
  cells: readonly SampledCell[],
): string | null {
  const crossed = cells.flatMap((cell) => {
    const pair = crossedPair(bands, cell);
    return pair === null ? [] : [{ cell, pair }];
  });
  const [first] = crossed;
  if (first === undefined) return null;
  const { cell, pair } = first;
  const [lower, upper] = pair.map(({ name, at }) => `${name} (${tableCell(cell.bands[at] ?? 0)})`);
  const position = cell.lonLat.map((degree) => degree.toFixed(6)).join(', ');
  return `${lower} is above ${upper} at ${position}: quantiles cross in ${crossed.length} of ${cells.length} cells. Check the bands' targets and levels`;
}

/** A lower quantile that is above a higher one; null if there is none. */
export function crossedPair(
  bands: readonly QuantileBand[],
  cell: PredictedValues,
): readonly [QuantileBand, QuantileBand] | null {
  for (const [i, lower] of bands.entries()) {
    const upper = bands
      .slice(i + 1)
      .find(({ at }) => (cell.bands[at] ?? 0) < (cell.bands[lower.at] ?? 0));
    if (upper !== undefined) return [lower, upper];
  }
  return null;
}
