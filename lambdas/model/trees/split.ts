import { EQUALS, MISSING_TAKES_FIRST } from './forest.ts';

/**
 * A node's question in the evaluator's terms. ONNX's six comparisons become two: x < t is
 * x ≤ the float32 below t, and ≥, >, ≠ are <, ≤, = with their children exchanged. A comparison with
 * NaN is false except ≠, so where a missing value goes must be exchanged along.
 */
export interface Split {
  readonly flags: number;
  readonly threshold: number;
  /** The first child is the false branch. */
  readonly exchanged: boolean;
}

/**
 * The question's form for float32 values. A threshold of float64 is not rounded: x ≤ t is x ≤ the
 * greatest float32 that is ≤ t, for every float32 x.
 *
 * @returns undefined for a mode that ONNX doesn't have
 */
export function splitOf(
  mode: string,
  threshold: number,
  missingTakesTrue: boolean,
): Split | undefined {
  const toFirst = missingTakesTrue ? MISSING_TAKES_FIRST : 0;
  const toSecond = missingTakesTrue ? 0 : MISSING_TAKES_FIRST;
  switch (mode) {
    case 'BRANCH_LEQ':
      return { flags: toFirst, threshold: atMost(threshold), exchanged: false };
    case 'BRANCH_LT':
      return { flags: toFirst, threshold: below(threshold), exchanged: false };
    case 'BRANCH_GT':
      return { flags: toSecond, threshold: atMost(threshold), exchanged: true };
    case 'BRANCH_GTE':
      return { flags: toSecond, threshold: below(threshold), exchanged: true };
    case 'BRANCH_EQ':
      return { flags: EQUALS | toFirst, threshold: exactly(threshold), exchanged: false };
    case 'BRANCH_NEQ':
      // NaN ≠ t is true whatever the track says: it takes the true branch, the second child.
      return { flags: EQUALS, threshold: exactly(threshold), exchanged: true };
    default:
      return undefined;
  }
}

/** The greatest float32 that is no greater than `value`. */
function atMost(value: number): number {
  const nearest = Math.fround(value);
  return nearest > value ? floatBelow(nearest) : nearest;
}

/** The greatest float32 that is less than `value`. */
function below(value: number): number {
  const most = atMost(value);
  return most === value ? floatBelow(most) : most;
}

/** NaN, which nothing equals, for what is no float32. */
function exactly(value: number): number {
  return Math.fround(value) === value ? value : Number.NaN;
}

/**
 * The greatest float32 below a float32, by its bit pattern (IEEE 754: neighbours differ by one).
 * For −∞, which nothing is below: NaN, and nothing is ≤ NaN.
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
