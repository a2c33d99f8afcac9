import { MODE } from '../onnx/tree-ensemble.ts';
import { EQUALS, MISSING_TAKES_FIRST } from './forest.ts';

/**
 * A node's test in the evaluator's form. ONNX's six comparisons reduce to two: x < t is x ≤ the float32
 * below t, and ≥, >, ≠ are <, ≤, = with their children swapped. Comparisons with NaN are false except
 * ≠, so the path of missing values is swapped too.
 */
export interface Split {
  readonly flags: number;
  readonly threshold: number;
  /** Whether the first child is the false branch. */
  readonly exchanged: boolean;
}

/**
 * Converts a test for float32 values. A float64 threshold is rounded down: for every float32 x, x ≤ t
 * is equivalent to x ≤ the greatest float32 that is ≤ t.
 *
 * @param mode a number of {@link MODE} but not of a leaf
 */
export function toSplit(mode: number, threshold: number, missingTakesTrue: boolean): Split {
  const toFirst = missingTakesTrue ? MISSING_TAKES_FIRST : 0;
  const toSecond = missingTakesTrue ? 0 : MISSING_TAKES_FIRST;
  switch (mode) {
    case MODE.BRANCH_LEQ:
      return { flags: toFirst, threshold: floatAtMost(threshold), exchanged: false };
    case MODE.BRANCH_LT:
      return { flags: toFirst, threshold: floatLessThan(threshold), exchanged: false };
    case MODE.BRANCH_GT:
      return { flags: toSecond, threshold: floatAtMost(threshold), exchanged: true };
    case MODE.BRANCH_GTE:
      return { flags: toSecond, threshold: floatLessThan(threshold), exchanged: true };
    case MODE.BRANCH_EQ:
      return { flags: EQUALS | toFirst, threshold: exactFloat(threshold), exchanged: false };
    default:
      // BRANCH_NEQ: NaN ≠ t is always true, so NaN takes the true branch, the second child.
      return { flags: EQUALS, threshold: exactFloat(threshold), exchanged: true };
  }
}

/** The greatest float32 ≤ `value`. */
function floatAtMost(value: number): number {
  const nearest = Math.fround(value);
  return nearest > value ? floatBelow(nearest) : nearest;
}

/** The greatest float32 < `value`. */
function floatLessThan(value: number): number {
  const most = floatAtMost(value);
  return most === value ? floatBelow(most) : most;
}

/** The value if it is a float32; otherwise NaN, which nothing equals. */
function exactFloat(value: number): number {
  return Math.fround(value) === value ? value : Number.NaN;
}

/**
 * The greatest float32 below a float32. Adjacent floats have adjacent bit patterns (IEEE 754). For −∞
 * it is NaN, as nothing is ≤ NaN.
 */
function floatBelow(value: number): number {
  if (value === Number.NEGATIVE_INFINITY) {
    return Number.NaN;
  }
  const float = new Float32Array([value]);
  const bits = new Int32Array(float.buffer);
  const pattern = bits[0] ?? 0;
  if (value === 0) {
    bits[0] = 0x80000001 | 0;
  } else {
    bits[0] = value > 0 ? pattern - 1 : pattern + 1;
  }
  return float[0] ?? Number.NaN;
}
