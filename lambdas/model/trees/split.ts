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

/** Undefined for a mode that ONNX doesn't have. `threshold` is a float32 and not NaN. */
export function splitOf(
  mode: string,
  threshold: number,
  missingTakesTrue: boolean,
): Split | undefined {
  const toFirst = missingTakesTrue ? MISSING_TAKES_FIRST : 0;
  const toSecond = missingTakesTrue ? 0 : MISSING_TAKES_FIRST;
  switch (mode) {
    case 'BRANCH_LEQ':
      return { flags: toFirst, threshold, exchanged: false };
    case 'BRANCH_LT':
      return { flags: toFirst, threshold: floatBelow(threshold), exchanged: false };
    case 'BRANCH_GT':
      return { flags: toSecond, threshold, exchanged: true };
    case 'BRANCH_GTE':
      return { flags: toSecond, threshold: floatBelow(threshold), exchanged: true };
    case 'BRANCH_EQ':
      return { flags: EQUALS | toFirst, threshold, exchanged: false };
    case 'BRANCH_NEQ':
      // NaN ≠ t is true whatever the track says: it takes the true branch, the second child.
      return { flags: EQUALS, threshold, exchanged: true };
    default:
      return undefined;
  }
}

/**
 * The greatest float32 below `value`, by its bit pattern (IEEE 754: neighbours differ by one).
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
