import type { Manifest } from '#engine/model/pack/manifest.ts';
import { type DeclaredErrors, summarisedBands } from '#engine/model/pack/summarised-bands.ts';
import { type GroundMetric, groundDistance, groundMetrics } from '#engine/raster/grid/ground.ts';
import { quantileBands } from '../quantile-order.ts';
import { meanOf } from './accuracy.ts';
import type { PredictedSample } from './held-out.ts';
import { bootstrapped, byGroup, type Estimate } from './resampling.ts';
import { type Share, shareOf } from './share.ts';

/** Two quantile bands that claim to contain a share of all values. */
export interface ClaimedInterval {
  readonly lower: string;
  readonly upper: string;
  /** Indexes of the bands. */
  readonly at: readonly [lower: number, upper: number];
  /** Nominal levels of the bands. */
  readonly levels: readonly [lower: number, upper: number];
  /** E.g. 0.9 for q05 and q95. */
  readonly claimed: number;
}

/** The quantile bands in pairs from the outermost inwards: q05 and q95, then q25 and q75. */
export function claimedIntervals({ bands }: Pick<Manifest, 'bands'>): readonly ClaimedInterval[] {
  const quantiles = quantileBands({ bands });
  return quantiles.slice(0, Math.floor(quantiles.length / 2)).flatMap((lower, i) => {
    const upper = quantiles.at(-1 - i);
    if (upper === undefined) return [];
    return {
      lower: lower.name,
      upper: upper.name,
      at: [lower.at, upper.at] as const,
      levels: [lower.level, upper.level] as const,
      // 0.95 − 0.05 is 0.8999999999999999.
      claimed: Number((upper.level - lower.level).toPrecision(12)),
    };
  });
}

export interface Coverage extends Omit<ClaimedInterval, 'at'> {
  /** Of the values inside the interval, ends included. */
  readonly inside: Share;
  readonly below: Share;
  readonly above: Share;
  /** Of the share inside, over whole groups; null without groups. */
  readonly insideByGroups: Estimate | null;
}

/** The share of the values inside, ends included. */
export function insideShare({ at }: ClaimedInterval, samples: readonly PredictedSample[]): number {
  return meanOf(samples.map((sample) => (placeIn(at, sample) === 'inside' ? 1 : 0)));
}

export function coverageOf(
  interval: ClaimedInterval,
  samples: readonly PredictedSample[],
  level = 0.95,
): Coverage {
  const n = samples.length;
  const { at, ...claim } = interval;
  const places = samples.map((sample) => placeIn(at, sample));
  const share = (wanted: Place): Share =>
    shareOf(places.filter((place) => place === wanted).length, n, level);
  const hasGroups = samples.some(({ group }) => group !== null);
  return {
    ...claim,
    inside: share('inside'),
    below: share('below'),
    above: share('above'),
    insideByGroups: hasGroups
      ? bootstrapped(samples, (drawn) => insideShare(interval, drawn), level)
      : null,
  };
}

type Place = 'below' | 'inside' | 'above';

function placeIn(
  [lowerAt, upperAt]: ClaimedInterval['at'],
  { observed, bands }: PredictedSample,
): Place {
  if (observed < (bands[lowerAt] ?? Number.NaN)) return 'below';
  return observed > (bands[upperAt] ?? Number.NaN) ? 'above' : 'inside';
}

/** How often the interval of a group's mean contains the mean of its measurements. */
export interface MeansCoverage {
  readonly claimed: number;
  readonly inside: Share;
}

/** Groups with fewer samples are single values. */
const LEAST_OF_GROUP = 2;

/**
 * Coverage of the means of sample points by the manifest's `error` block: the interval of an area's
 * mean (`docs/rasters.md`), with the samples in place of cells. Null without a declared correlation or
 * groups.
 */
export function meansCoverage(
  manifest: Manifest,
  samples: readonly PredictedSample[],
): MeansCoverage | null {
  const summarised = summarisedBands(manifest);
  const groups = [...byGroup(samples.filter(({ group }) => group !== null)).values()].filter(
    ({ length }) => length >= LEAST_OF_GROUP,
  );
  if (summarised === null || summarised.errors === null || groups.length === 0) return null;
  const { mean, errors } = summarised;
  const metricAt = groundMetrics(manifest.grid);
  const inside = groups.filter((group) => {
    const predicted = meanOf(group.map(({ bands }) => bands[mean.index] ?? Number.NaN));
    const error = meanOf(group.map(({ observed }) => observed)) - predicted;
    const [first] = group;
    if (first === undefined) return false;
    const metric = metricAt(first.cell.col, first.cell.row);
    const widths = group.map(({ bands }) => halfWidth(bands, mean.index, errors, error));
    const shared = errors.z * errors.systematicRelativeSd * predicted;
    return Math.abs(error) <= Math.hypot(doubleSum(group, widths, metric, errors), shared);
  });
  return { claimed: errors.level, inside: shareOf(inside.length, groups.length) };
}

/** Of a cell, on the side of the error, without the error that all cells share. */
function halfWidth(
  bands: readonly number[],
  meanAt: number,
  { lower, upper, z, systematicRelativeSd }: DeclaredErrors,
  error: number,
): number {
  const mean = bands[meanAt] ?? Number.NaN;
  const bound = bands[error < 0 ? lower.index : upper.index] ?? Number.NaN;
  const width = Math.max(error < 0 ? mean - bound : bound - mean, 0);
  return Math.sqrt(Math.max(width ** 2 - (z * systematicRelativeSd * mean) ** 2, 0));
}

/** √(ΣΣ ρ(h) w w′) ÷ n over all pairs of the samples. */
function doubleSum(
  group: readonly PredictedSample[],
  widths: readonly number[],
  metric: GroundMetric,
  { correlation: { nugget, rangeMetres } }: DeclaredErrors,
): number {
  let sum = 0;
  for (const [i, { cell }] of group.entries()) {
    for (const [j, other] of group.entries()) {
      const metres = groundDistance(metric, other.cell.col - cell.col, other.cell.row - cell.row);
      const correlation = i === j ? 1 : (1 - nugget) * Math.exp(-metres / rangeMetres);
      sum += correlation * (widths[i] ?? 0) * (widths[j] ?? 0);
    }
  }
  return Math.sqrt(sum) / group.length;
}
