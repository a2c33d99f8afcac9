import { cachePerManifest } from '../pack/cache-per-manifest.ts';
import type { Applicability, Covariate } from '../pack/manifest.ts';
import type { Pack } from '../pack/pack.ts';
import { buildBoxTree } from './box-tree.ts';
import { parseTrainingPoints } from './training-points.ts';

/** Whether a cell, whose covariates begin at index `at`, lies in the area of applicability. */
export type IsApplicable = (covariates: ArrayLike<number>, at: number) => boolean;

const once = cachePerManifest<IsApplicable | null>();

/**
 * Null if the manifest does not state an area of applicability.
 * @throws PackFileUnavailable or TrainingPointsInvalid
 */
export function loadApplicability({ files, manifest }: Pack): Promise<IsApplicable | null> {
  return once(manifest, async () => {
    const { applicability, covariates } = manifest;
    if (applicability === undefined) return null;
    return createApplicabilityTest(
      applicability,
      covariates,
      await files.readFile(applicability.href),
    );
  });
}

/**
 * The area of applicability (Meyer & Pebesma 2021, Methods in Ecology and Evolution 12, 1620–1633)
 * as CAST 1.1 implements it: the cells whose scaled and weighted covariates are near those of a
 * training point.
 *
 * A distance is a sum of squares, added in a fixed order. The rounded sum for a box never exceeds
 * the rounded sum for a point in the box, so the answer depends only on the cell and not on the
 * search order.
 *
 * @param file the training points
 * @throws TrainingPointsInvalid
 */
export function createApplicabilityTest(
  declared: Applicability,
  covariates: readonly Covariate[],
  file: Uint8Array,
): IsApplicable {
  const { count, quantities, factors } = parseTrainingPoints(declared, covariates, file);
  const reach = declared.threshold * declared.mean_distance;
  const limit = reach * reach;
  const width = quantities.length;
  const points = new Float64Array(count * width);
  for (const [k, { values, mean, scale }] of quantities.entries()) {
    for (const [point, value] of values.entries()) {
      points[point * width + k] = (value - mean) * scale;
    }
  }
  const { order, ranges, corners, firstLeaf } = buildBoxTree(points, count, width);
  const indexes = Int32Array.from(quantities, ({ index }) => index);
  const [means, scales] = [
    Float64Array.from(quantities, ({ mean }) => mean),
    Float64Array.from(quantities, ({ scale }) => scale),
  ];
  const cell = new Float64Array(width);
  const classes = new Float64Array(factors.length);
  // Most cells are near the same point as the previous cell.
  let last = 0;

  /** Sets `cell` and `classes`; returns false for a class that the training data lack. */
  function readCell(values: ArrayLike<number>, at: number): boolean {
    for (const [j, { index, squares }] of factors.entries()) {
      const value = values[at + index] ?? Number.NaN;
      if (!squares.has(value)) return false;
      classes[j] = value;
    }
    for (let k = 0; k < width; k += 1) {
      const value = values[at + (indexes[k] ?? 0)] ?? Number.NaN;
      cell[k] = (value - (means[k] ?? 0)) * (scales[k] ?? 0);
    }
    return true;
  }

  function isNear(point: number): boolean {
    let sum = 0;
    for (let k = 0; k < width; k += 1) {
      const apart = (points[point * width + k] ?? 0) - (cell[k] ?? 0);
      sum += apart * apart;
      if (sum > limit) return false;
    }
    for (const [j, { values, squares }] of factors.entries()) {
      const [a = 0, b = 0] = [values[point], classes[j]];
      if (a !== b) sum += (squares.get(a) ?? 0) + (squares.get(b) ?? 0);
    }
    return sum <= limit;
  }

  /** Infinity if it is above the limit. */
  function squaredDistanceToBox(box: number): number {
    let sum = 0;
    for (let k = 0; k < width; k += 1) {
      const at = cell[k] ?? 0;
      const least = corners[box * 2 * width + k] ?? 0;
      const greatest = corners[(box * 2 + 1) * width + k] ?? 0;
      const apart = at < least ? least - at : at > greatest ? at - greatest : 0;
      sum += apart * apart;
      if (sum > limit) return Infinity;
    }
    return sum;
  }

  function hasNearPoint(box: number): boolean {
    if (box >= firstLeaf) {
      const to = ranges[box * 2 + 1] ?? 0;
      for (let i = ranges[box * 2] ?? 0; i < to; i += 1) {
        last = order[i] ?? 0;
        if (isNear(last)) return true;
      }
      return false;
    }
    const child = 2 * box + 1;
    const [a, b] = [squaredDistanceToBox(child), squaredDistanceToBox(child + 1)];
    const nearer = a <= b ? child : child + 1;
    if (Math.min(a, b) <= limit && hasNearPoint(nearer)) return true;
    return Math.max(a, b) <= limit && hasNearPoint(nearer === child ? child + 1 : child);
  }

  return (values, at) =>
    readCell(values, at) && (isNear(last) || (squaredDistanceToBox(0) <= limit && hasNearPoint(0)));
}
