import { bootstrapped, type Estimate } from './resampling.ts';

/** A measurement and its prediction, in the property's unit. */
export interface Pair {
  readonly observed: number;
  readonly predicted: number;
  readonly group: string | null;
}

export interface Accuracy {
  readonly n: number;
  /** 1 − Σ(observed − predicted)² ÷ Σ(observed − mean observed)², with its 95 % interval. */
  readonly r2: Estimate;
  readonly rmse: number;
  /** Mean of predicted − observed. */
  readonly bias: number;
  /** Of the regression of observed on predicted (Piñeiro et al. 2008): 1 for a model that neither exaggerates nor flattens. */
  readonly slope: number;
}

/** Of the interval of R². */
const LEVEL = 0.95;

export function accuracyOf(pairs: readonly Pair[]): Accuracy {
  const { n, bias, rmse, slope } = momentsOf(pairs);
  return { n, r2: bootstrapped(pairs, r2Of, LEVEL), rmse, bias, slope };
}

/** The same without what needs resampling, for a part of the samples. */
export type PartAccuracy = Omit<Accuracy, 'r2'>;

export function momentsOf(pairs: readonly Pair[]): PartAccuracy {
  const errors = pairs.map(({ observed, predicted }) => predicted - observed);
  const predicted = pairs.map((pair) => pair.predicted);
  const [meanObserved, meanPredicted] = [
    meanOf(pairs.map((pair) => pair.observed)),
    meanOf(predicted),
  ];
  const products = pairs.map(
    (pair) => (pair.predicted - meanPredicted) * (pair.observed - meanObserved),
  );
  return {
    n: pairs.length,
    rmse: Math.sqrt(meanOf(errors.map((error) => error ** 2))),
    bias: meanOf(errors),
    slope: meanOf(products) / meanOf(predicted.map((value) => (value - meanPredicted) ** 2)),
  };
}

export function r2Of(pairs: readonly Pair[]): number {
  const mean = meanOf(pairs.map(({ observed }) => observed));
  let [errors, spread] = [0, 0];
  for (const { observed, predicted } of pairs) {
    errors += (observed - predicted) ** 2;
    spread += (observed - mean) ** 2;
  }
  return spread === 0 ? Number.NaN : 1 - errors / spread;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
