import type { Manifest } from '#engine/model/pack/manifest.ts';
import { implausibleBands } from '../implausible-bands.ts';
import { figure } from '../sample-table.ts';
import { meanOf, type Pair, r2Of } from './accuracy.ts';
import { type ClaimedInterval, claimedIntervals, coverageOf, insideShare } from './coverage.ts';
import { meansCoverage } from './group-means.ts';
import type { PredictedSample } from './held-out.ts';
import { bootstrapped, type Estimate } from './resampling.ts';

/** Confidence beyond which a difference cannot be chance. */
const CERTAIN = 0.99;

/** A coverage may be so far from the claim. */
const TOLERATED_COVERAGE = 0.03;

/** Half a power of ten: a ratio beyond it is nearer to 10, or 1/10, than to 1. */
const TOLERATED_RATIO = Math.sqrt(10);

/** Why the samples contradict the pack: only what cannot be chance. Empty for a pack that they bear out. */
export function refusals(
  manifest: Manifest,
  samples: readonly PredictedSample[],
  pairs: readonly Pair[],
): readonly string[] {
  return [
    ...implausibleBands(manifest, samples, 'samples'),
    ...anotherMagnitude(pairs),
    ...worseThanTheMean(pairs),
    ...claimedIntervals(manifest).flatMap((interval) => wrongCoverage(interval, samples)),
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
): readonly string[] {
  const { lower, upper, claimed } = interval;
  const value = insideShare(interval, samples);
  if (Math.abs(value - claimed) <= TOLERATED_COVERAGE) return [];
  const { inside, insideByGroups } = coverageOf(interval, samples, CERTAIN);
  // Samples of a group are alike, so the wider of the two.
  const least = Math.min(inside.lower, insideByGroups?.lower ?? 1);
  const most = Math.max(inside.upper, insideByGroups?.upper ?? 0);
  if (least <= claimed + TOLERATED_COVERAGE && most >= claimed - TOLERATED_COVERAGE) return [];
  return [
    `${lower} to ${upper} claim to contain ${claimed} of all values, and contain ${value.toFixed(3)} of ${samples.length} (99 % interval ${least.toFixed(3)} to ${most.toFixed(3)}). Calibrate the interval on samples that the model did not see`,
  ];
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
