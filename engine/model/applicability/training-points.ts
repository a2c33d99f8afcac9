import type { Applicability, Covariate } from '../pack/manifest.ts';

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

class TrainingPointsInvalid extends Error {
  override readonly name = 'TrainingPointsInvalid';
}

/** A covariate whose values are compared by their difference. It has the values of all training points. */
export interface Quantity {
  readonly index: number;
  readonly values: Float64Array;
  /** A value counts as (value − mean) × scale. */
  readonly mean: number;
  readonly scale: number;
}

/** A covariate with classes, compared as if each class in the training data had a column of zeros and ones. */
export interface Factor {
  readonly index: number;
  readonly values: Float64Array;
  /** The square of the distance between 0 and 1 in the column of each class. */
  readonly squares: ReadonlyMap<number, number>;
}

export interface TrainingPoints {
  readonly count: number;
  /** The most important covariates come first, so that the distance to a far point soon exceeds a limit. */
  readonly quantities: readonly Quantity[];
  readonly factors: readonly Factor[];
}

/** @throws TrainingPointsInvalid */
export function parseTrainingPoints(
  { points: count, weights }: Applicability,
  covariates: readonly Covariate[],
  file: Uint8Array,
): TrainingPoints {
  const width = covariates.length;
  const bytes = count * width * FLOAT_BYTES;
  if (file.length !== bytes) {
    throw new TrainingPointsInvalid(
      `has ${file.length} bytes, but ${count} points of ${width} covariates have ${bytes}`,
    );
  }
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const columns = covariates.map((covariate, index) => {
    const values = Float64Array.from({ length: count }, (_, point) =>
      view.getFloat32((point * width + index) * FLOAT_BYTES, true),
    );
    if (!values.every(Number.isFinite)) {
      throw new TrainingPointsInvalid(`${covariate.name} has a value that is not finite`);
    }
    return { name: covariate.name, index, values, weight: weights[index] ?? 0 };
  });
  const isOfClasses = ({ index }: Column): boolean => {
    const covariate = covariates[index];
    return covariate?.kind === 'raster' && covariate.trained_classes !== undefined;
  };
  return {
    count,
    quantities: columns
      .filter((column) => column.weight > 0 && !isOfClasses(column))
      .sort((a, b) => b.weight - a.weight)
      .map(toQuantity),
    factors: columns.filter(isOfClasses).map(toFactor),
  };
}

interface Column {
  readonly name: string;
  readonly index: number;
  readonly values: Float64Array;
  readonly weight: number;
}

function toQuantity({ name, index, values, weight }: Column): Quantity {
  const { mean, sd } = computeMeanAndSd(values);
  if (sd === 0) {
    throw new TrainingPointsInvalid(`${name} has a weight, but the same value in all points`);
  }
  return { index, values, mean, scale: weight / sd };
}

function toFactor({ index, values, weight }: Column): Factor {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const n = values.length;
  const squares = Array.from(counts, ([value, ones]) => {
    const variance = (ones * (n - ones)) / (n * (n - 1));
    // If all points have the same class, the variance is 0, and there is no other class to differ from.
    return [value, variance === 0 ? 0 : (weight * weight) / variance] as const;
  });
  return { index, values, squares: new Map(squares) };
}

/** The sample standard deviation. */
function computeMeanAndSd(values: Float64Array): { readonly mean: number; readonly sd: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return { mean, sd: Math.sqrt(squares / (values.length - 1)) };
}
