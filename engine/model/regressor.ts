export interface Regressor {
  /** Number of input values per point. */
  readonly features: number;
  /** Number of output values per point. */
  readonly targets: number;
  /**
   * @param features `count` × `features` values, row-major
   * @param count number of points
   * @param out receives `count` × `targets` values, row-major
   */
  predict(features: Float32Array, count: number, out: Float32Array): Promise<void>;
}

/** @throws RangeError if `points` or `out` is too small for `count` points */
export function requireCapacity(
  { features, targets }: Pick<Regressor, 'features' | 'targets'>,
  points: Float32Array,
  count: number,
  out: Float32Array,
): void {
  if (points.length < count * features || out.length < count * targets) {
    throw new RangeError(
      `${count} points need ${count * features} feature values and ${count * targets} target values: got ${points.length} and ${out.length}`,
    );
  }
}
