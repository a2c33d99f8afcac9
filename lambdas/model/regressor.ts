/** A model of any engine: points in, targets out. */
export interface Regressor {
  /** Values of a point that go in. */
  readonly features: number;
  /** Values of a point that come out. */
  readonly targets: number;
  /**
   * @param features `count` × `features` values, row-major
   * @param count number of points
   * @param out room for `count` × `targets` values, row-major
   */
  predict(features: Float32Array, count: number, out: Float32Array): Promise<void>;
}
