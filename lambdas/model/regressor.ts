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

/** @throws RangeError when fewer points were given, or less room for their targets, than counted */
export function requireRoom(
  { features, targets }: Pick<Regressor, 'features' | 'targets'>,
  points: Float32Array,
  count: number,
  out: Float32Array,
): void {
  if (points.length < count * features || out.length < count * targets) {
    throw new RangeError(`no room for ${count} points of ${features} features`);
  }
}
