import type { Covariate, Manifest } from './pack/manifest.ts';

/**
 * The share of a map's cells that may have a covariate outside the training values without a warning: a model is
 * rarely trained on every value.
 */
export const TOLERATED_OUTSIDE_SHARE = 0.1;

/** The share of a map's cells that may lie outside the area of applicability without a warning. */
export const TOLERATED_INAPPLICABLE_SHARE = 0.3;

/** Tells whether a point, whose features begin at index `at`, has a feature outside the training values. */
export type OutsideTraining = (features: ArrayLike<number>, at: number) => boolean;

/** Null if the manifest states no values. Bounds are compared as float32, like covariates. */
export function createTrainingTest({
  covariates,
}: Pick<Manifest, 'covariates'>): OutsideTraining | null {
  if (!covariates.some(isStated)) return null;
  const ranges = covariates.map(trainedRangeOf);
  const lows = Float32Array.from(ranges, ([low]) => low);
  const highs = Float32Array.from(ranges, ([, high]) => high);
  const classes = covariates.flatMap((covariate, i) => {
    const known = listTrainedClasses(covariate);
    return known === null ? [] : [{ i, known: new Set(known.map(Math.fround)) }];
  });
  return (features, at) => {
    for (let i = 0; i < lows.length; i += 1) {
      const value = features[at + i] ?? Number.NaN;
      if (value < (lows[i] ?? value) || value > (highs[i] ?? value)) return true;
    }
    return classes.some(({ i, known }) => !known.has(features[at + i] ?? Number.NaN));
  };
}

function isStated(covariate: Covariate): boolean {
  return covariate.trained_range !== undefined || listTrainedClasses(covariate) !== null;
}

const NO_RANGE: readonly [number, number] = [-Infinity, Infinity];

const trainedRangeOf = ({ trained_range }: Covariate): readonly [number, number] =>
  trained_range ?? NO_RANGE;

function listTrainedClasses(covariate: Covariate): readonly number[] | null {
  return covariate.kind === 'raster' ? (covariate.trained_classes ?? null) : null;
}
