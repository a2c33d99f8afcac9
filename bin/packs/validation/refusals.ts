import type { Manifest } from '#engine/model/pack/manifest.ts';
import { implausibleBands } from '../implausible-bands.ts';
import { type QuantileBand, quantileBands } from '../quantile-order.ts';
import { figure } from '../sample-table.ts';
import { meanOf, type Pair, r2Of } from './accuracy.ts';
import { type ClaimedInterval, claimedIntervals, isInside } from './coverage.ts';
import { meansCoverage } from './group-means.ts';
import type { PredictedSample } from './held-out.ts';
import { bootstrapped, type Estimate } from './resampling.ts';
import { shareOf } from './share.ts';

/** Confidence beyond which a difference cannot be chance. */
const CERTAIN = 0.99;

/** A coverage may be so far from the claim. */
const TOLERATED_COVERAGE = 0.03;

/** Half a power of ten: a ratio beyond it is nearer to 10, or 1/10, than to 1. */
const TOLERATED_RATIO = Math.sqrt(10);

/** Wrong covariates or targets make intervals wrong, too. */
const CALIBRATE =
  "If the covariates' files and order, the datum and the order of the targets are right, calibrate the bounds on samples that the model did not see";

/** Why the samples contradict the pack: only what cannot be chance. Empty for a pack that they bear out. */
export function refusals(
  manifest: Manifest,
  samples: readonly PredictedSample[],
  pairs: readonly Pair[],
): readonly string[] {
  const worse = [
    ...implausibleBands(manifest, samples, 'samples'),
    ...anotherMagnitude(pairs),
    ...worseThanTheMean(pairs),
  ];
  const advice = worse.length === 0 ? CALIBRATE : 'Correct what is named above first';
  return [
    ...worse,
    ...claimedIntervals(manifest).flatMap((interval) => wrongCoverage(interval, samples, advice)),
    ...quantileBands(manifest).flatMap((band) => wrongLevel(band, samples, advice)),
    ...tooNarrowAreas(manifest, samples),
  ];
}

// The intervals below are made only where the figure itself is refused, because resampling takes long.

function anotherMagnitude(pairs: readonly Pair[]): readonly string[] {
  const value = ratioOf(pairs);
  if (hasMagnitude({ lower: value, upper: value })) return [];
  const ratio = bootstrapped(pairs, ratioOf, CERTAIN);
  if (hasMagnitude(ratio)) return [];
  return [
    `the predictions are ${figure(ratio.value)} times the measurements (means; 99 % interval ${figure(ratio.lower)} to ${figure(ratio.upper)}). Check the units, the scale of each covariate, and whether a logarithm was turned back`,
  ];
}

/** Mean of the predictions ÷ mean of the measurements, without signs; medians of many zeros are zero. */
function ratioOf(pairs: readonly Pair[]): number {
  const meanSize = (values: readonly number[]): number => meanOf(values.map(Math.abs));
  return (
    meanSize(pairs.map(({ predicted }) => predicted)) /
    meanSize(pairs.map(({ observed }) => observed))
  );
}

function hasMagnitude({ lower, upper }: Pick<Estimate, 'lower' | 'upper'>): boolean {
  return lower <= TOLERATED_RATIO && upper >= 1 / TOLERATED_RATIO;
}

function worseThanTheMean(pairs: readonly Pair[]): readonly string[] {
  if (!(r2Of(pairs) < 0)) return [];
  const r2 = bootstrapped(pairs, r2Of, CERTAIN);
  if (!(r2.upper < 0)) return [];
  return [
    `R² is ${figure(r2.value)} (99 % interval ${figure(r2.lower)} to ${figure(r2.upper)}): the mean of the measurements predicts better. Check the covariates' files, order, scale and nodata`,
  ];
}

function wrongCoverage(
  interval: ClaimedInterval,
  samples: readonly PredictedSample[],
  advice: string,
): readonly string[] {
  const { lower, upper, claimed } = interval;
  const share = wrongShare(samples, (sample) => isInside(interval, sample), claimed);
  if (share === null) return [];
  return [
    `${lower} to ${upper} claim to contain ${claimed} of all values, and contain ${certainText(share, samples)}. ${advice}`,
  ];
}

/** Of one bound: an interval that is right as a whole may lie too high or too low. */
function wrongLevel(
  { name, at, level }: QuantileBand,
  samples: readonly PredictedSample[],
  advice: string,
): readonly string[] {
  const bound = ({ bands }: PredictedSample): number => bands[at] ?? Number.NaN;
  const [isBelow, isAtMost] = [
    (sample: PredictedSample): boolean => sample.observed < bound(sample),
    (sample: PredictedSample): boolean => sample.observed <= bound(sample),
  ];
  // Where many values are equal, such as 0, the level of a right quantile lies between both shares.
  const isTooHigh = hitShare(samples, isBelow) > level;
  if (!isTooHigh && hitShare(samples, isAtMost) >= level) return [];
  const isHit = isTooHigh ? isBelow : isAtMost;
  const isUpper = level > 0.5;
  const claimed = Number((isUpper ? 1 - level : level).toPrecision(12));
  const share = wrongShare(samples, (sample) => isHit(sample) !== isUpper, claimed);
  if (share === null) return [];
  return [
    `${name} claims that ${claimed} of all values lie ${isUpper ? 'above' : 'below'} it, and there lie ${certainText(share, samples)}. ${advice}`,
  ];
}

function hitShare(
  samples: readonly PredictedSample[],
  isHit: (sample: PredictedSample) => boolean,
): number {
  return samples.filter(isHit).length / samples.length;
}

/** The share with its interval if that lies wholly too far from the claim; else null. */
function wrongShare(
  samples: readonly PredictedSample[],
  isHit: (sample: PredictedSample) => boolean,
  claimed: number,
): Estimate | null {
  if (Math.abs(hitShare(samples, isHit) - claimed) <= TOLERATED_COVERAGE) return null;
  const share = shareOf(samples.filter(isHit).length, samples.length, CERTAIN);
  const byGroups = samples.some(({ group }) => group !== null)
    ? bootstrapped(samples, (drawn) => hitShare(drawn, isHit), CERTAIN)
    : share;
  // Samples of a group are alike, so the wider of the two.
  const lower = Math.min(share.lower, byGroups.lower);
  const upper = Math.max(share.upper, byGroups.upper);
  const isChance = lower <= claimed + TOLERATED_COVERAGE && upper >= claimed - TOLERATED_COVERAGE;
  return isChance ? null : { value: share.value, lower, upper };
}

function certainText({ value, lower, upper }: Estimate, { length }: readonly unknown[]): string {
  return `${value.toFixed(3)} of ${length} (99 % interval ${lower.toFixed(3)} to ${upper.toFixed(3)})`;
}

/** Too wide is no refusal: the correlation of errors is declared at a conservative bound. */
function tooNarrowAreas(
  manifest: Manifest,
  samples: readonly PredictedSample[],
): readonly string[] {
  const means = meansCoverage(manifest, samples, CERTAIN);
  if (means === null) return [];
  const { claimed, inside } = means;
  if (inside.upper >= claimed - TOLERATED_COVERAGE) return [];
  return [
    `the intervals of areas claim to contain ${claimed} of all means, and contain ${inside.value.toFixed(3)} of ${inside.n} groups' (99 % interval ${inside.lower.toFixed(3)} to ${inside.upper.toFixed(3)}). Estimate error.correlation from pairs of samples that were withheld together`,
  ];
}
