import { groundOffset } from '#engine/raster/grid/ground.ts';
import type { LonLat } from '../covariates-at.ts';
import { columnAt, nameIn, numberIn, readSampleTable } from '../sample-table.ts';
import type { BoundedSample } from '../validation/group-means.ts';
import { groupedBy } from '../validation/resampling.ts';

/** A measurement, and what a model that was trained without it predicts there. */
export interface WithheldSample extends BoundedSample {
  readonly position: LonLat;
  /** Samples of a fold were withheld together. */
  readonly fold: string;
  /** Null without groups. */
  readonly group: string | null;
}

/** Names of the table's columns. */
export interface WithheldColumns {
  readonly target: string;
  readonly lower: string;
  readonly upper: string;
  readonly group: string | null;
}

/**
 * Reads a table of withheld samples, with the columns `lon`, `lat`, `mean` and `fold` besides the named ones.
 * @throws Error with the sample, the column, what is wrong and what is allowed
 */
export function readWithheld(text: string, columns: WithheldColumns): readonly WithheldSample[] {
  const table = readSampleTable(text);
  const at = (name: string) => ({ name, at: columnAt(table, name) });
  const target = at(columns.target);
  const [mean, lower, upper] = [at('mean'), at(columns.lower), at(columns.upper)];
  const fold = at('fold');
  const group = columns.group === null ? null : at(columns.group);
  return table.samples.map((sample, i) => {
    const where = ({ name }: { readonly name: string }): string => `sample ${i + 1}, ${name}`;
    const number = (column: typeof mean): number => numberIn(sample, column.at, where(column));
    const name = (column: typeof mean): string => nameIn(sample, column.at, where(column));
    return {
      position: sample.position,
      observed: number(target),
      mean: number(mean),
      lower: number(lower),
      upper: number(upper),
      fold: name(fold),
      group: group === null ? null : name(group),
    };
  });
}

/** On the WGS84 ellipsoid, between places so near that the Earth is flat between them. */
export function metresBetween(a: LonLat, b: LonLat): number {
  return Math.hypot(...groundOffset(a, b, (a[1] + b[1]) / 2));
}

/**
 * A third of the diagonal of the samples' extent, as gstat's `variogram` does, but no farther than samples
 * of one fold are apart.
 */
export function usualReach(samples: readonly WithheldSample[]): number {
  const third = diagonalOf(samples) / 3;
  const together = [...groupedBy(samples, ({ fold }) => fold).values()].map(diagonalOf);
  const farthest = together.reduce((a, b) => Math.max(a, b), 0);
  return farthest === 0 ? third : Math.min(third, farthest);
}

/** Of the extent, in metres. */
function diagonalOf(samples: readonly WithheldSample[]): number {
  const [west, south, east, north] = samples.reduce(
    ([w, s, e, n], { position: [lon, lat] }) =>
      [Math.min(w, lon), Math.min(s, lat), Math.max(e, lon), Math.max(n, lat)] as const,
    [Infinity, Infinity, -Infinity, -Infinity] as const,
  );
  return metresBetween([west, south], [east, north]);
}
