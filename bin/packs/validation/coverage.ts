import type { Manifest } from '#engine/model/pack/manifest.ts';
import { quantileBands } from '../quantile-order.ts';
import { meanOf } from './accuracy.ts';
import type { PredictedSample } from './held-out.ts';
import { bootstrapped, type Estimate } from './resampling.ts';
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
function insideShare({ at }: ClaimedInterval, samples: readonly PredictedSample[]): number {
  return meanOf(samples.map((sample) => (placeIn(at, sample) === 'inside' ? 1 : 0)));
}

/** Ends included. */
export function isInside({ at }: ClaimedInterval, sample: PredictedSample): boolean {
  return placeIn(at, sample) === 'inside';
}

/** The same with its exact interval, samples taken as independent. */
export function shareInside(
  interval: ClaimedInterval,
  samples: readonly PredictedSample[],
  level = 0.95,
): Share {
  const inside = samples.filter((sample) => placeIn(interval.at, sample) === 'inside');
  return shareOf(inside.length, samples.length, level);
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
