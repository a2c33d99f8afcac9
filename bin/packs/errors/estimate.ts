import { SQUARE_METRES_PER_HECTARE } from '#engine/geometry/ellipsoid.ts';
import { standardNormalQuantile } from '#engine/model/pack/summarised-bands.ts';
import { CommandError } from '../../operator/command.ts';
import { containsMean, type ErrorModel, LEAST_OF_GROUP } from '../validation/group-means.ts';
import { byGroup } from '../validation/resampling.ts';
import { type Share, shareOf } from '../validation/share.ts';
import {
  type Correlation,
  type CorrelationEstimate,
  estimatedCorrelation,
  integralOf,
  type StandardisedErrors,
} from './correlation.ts';
import { type Standardised, standardised } from './standardised.ts';
import { metresBetween, type WithheldSample } from './withheld.ts';

/** The errors of pairs by distance. */
export interface Lag {
  readonly from_m: number;
  readonly to_m: number;
  readonly pairs: number;
  /** Null without pairs. */
  readonly correlation: number | null;
}

export interface FittedErrors {
  readonly pairs: number;
  readonly max_m: number;
  /** Of the errors ÷ half-width. */
  readonly variance: number;
  readonly lags: readonly Lag[];
  readonly fit: CorrelationFigures;
  readonly declared: CorrelationFigures;
}

export interface CorrelationFigures {
  readonly nugget: number;
  readonly range_m: number;
  /** ∫ρ over the plane. */
  readonly integral_ha: number;
}

const LAGS = 10;
/** Per lag of a variogram (Journel & Huijbregts 1978, Mining Geostatistics, III.B.5). */
const LEAST_PAIRS = 30;
/** Of the distances: pairs within it show what the fit says of small areas. */
const NEAR = 1 / 5;

/** @throws CommandError if too few pairs are near each other */
export function fittedErrors(errors: StandardisedErrors, replicates?: number): FittedErrors {
  const { pairs, maxMetres, variances } = errors;
  requireNearPairs(errors, maxMetres * NEAR);
  const estimate = estimatedCorrelation(errors, replicates);
  requireNearPairs(errors, estimate.declared.rangeMetres);
  const variance = variances.reduce((sum, one) => sum + one.variance, 0) / variances.length;
  return {
    pairs: pairs.length,
    max_m: maxMetres,
    variance,
    lags: lagsOf(errors, variance),
    fit: figuresOf(estimate.fit, integralOf(estimate.fit)),
    declared: figuresOf(estimate.declared, estimate.upperIntegral),
  };
}

function figuresOf(
  { nugget, rangeMetres }: Correlation,
  integral: CorrelationEstimate['upperIntegral'],
): CorrelationFigures {
  return { nugget, range_m: rangeMetres, integral_ha: integral / SQUARE_METRES_PER_HECTARE };
}

function requireNearPairs({ pairs }: StandardisedErrors, metres: number): void {
  const near = new Set(pairs.filter((pair) => pair.metres < metres).map(({ places }) => places))
    .size;
  if (near >= LEAST_PAIRS) return;
  throw new CommandError(
    `${near} pairs that were withheld together are nearer than ${Math.round(metres)} m; at least ${LEAST_PAIRS} are needed to know how errors are alike. Withhold neighbours together (one fold for the samples of a block), or take more samples near each other`,
    1,
  );
}

function lagsOf({ pairs, maxMetres }: StandardisedErrors, variance: number): readonly Lag[] {
  const width = maxMetres / LAGS;
  const lags = Array.from({ length: LAGS }, () => ({ count: 0, sum: 0 }));
  for (const { metres, product } of pairs) {
    const lag = lags[Math.floor(metres / width)];
    if (lag === undefined) continue;
    lag.count += 1;
    lag.sum += product;
  }
  return lags.map(({ count, sum }, i) => ({
    from_m: i * width,
    to_m: (i + 1) * width,
    pairs: count,
    correlation: count === 0 ? null : sum / count / variance,
  }));
}

/** What withheld samples say of the errors of a pack. */
export interface ErrorEstimate extends FittedErrors {
  readonly samples: number;
  readonly without_width: number;
  readonly standardised_errors: Standardised['spread'];
  readonly group_means: GroupMeans | null;
}

/** How often the interval of a group's mean, as declared, contains the mean of its measurements. */
export interface GroupMeans {
  readonly inside: Share;
  /** Groups of which only a part was withheld at a time, or that have one sample. */
  readonly left_out: number;
}

export interface ErrorOptions {
  /** Level of the upper bound, e.g. 0.95. */
  readonly upperLevel: number;
  readonly maxMetres: number;
  readonly systematic: number;
}

/** @throws CommandError if all samples are of one fold, or pairs are too few near each other or too many */
export function estimatedErrors(
  samples: readonly WithheldSample[],
  { upperLevel, maxMetres, systematic }: ErrorOptions,
  replicates?: number,
): ErrorEstimate {
  requireFolds(samples);
  const z = standardNormalQuantile(upperLevel);
  const errors = standardised(samples, { maxMetres, z, systematic });
  const fitted = fittedErrors(errors, replicates);
  const correlation = { nugget: fitted.declared.nugget, rangeMetres: fitted.declared.range_m };
  return {
    ...fitted,
    samples: samples.length,
    without_width: errors.withoutWidth,
    standardised_errors: errors.spread,
    group_means: groupMeans(samples, { z, systematicRelativeSd: systematic, correlation }),
  };
}

function requireFolds(samples: readonly WithheldSample[]): void {
  const folds = new Set(samples.map(({ fold }) => fold));
  if (folds.size > 1) return;
  throw new CommandError(
    `all ${samples.length} samples are of the fold ${[...folds].join()}; a cross-validation has several. Withhold some blocks at a time, predict those, and name the fold of each`,
    1,
  );
}

/** Null without groups that were withheld whole. */
function groupMeans(samples: readonly WithheldSample[], errors: ErrorModel): GroupMeans | null {
  const groups = [...byGroup(samples.filter(({ group }) => group !== null)).values()];
  const whole = groups.filter(
    (group) => group.length >= LEAST_OF_GROUP && new Set(group.map(({ fold }) => fold)).size === 1,
  );
  if (whole.length === 0) return null;
  const inside = whole.filter((group) => {
    const positions = group.map(({ position }) => position);
    return containsMean(group, errors, (i, j) => {
      const [a, b] = [positions[i], positions[j]];
      return a === undefined || b === undefined ? 0 : metresBetween(a, b);
    });
  });
  return {
    inside: shareOf(inside.length, whole.length),
    left_out: groups.length - whole.length,
  };
}
