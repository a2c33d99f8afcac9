import type { Aggregate } from '../onnx/tree-ensemble.ts';

/**
 * A forest in memory: one array of nodes, tree after tree and each depth-first for locality; one array
 * of leaves.
 *
 * A node is four 32-bit words (16 bytes, so a cache line of 64 holds four): the feature (with
 * {@link EQUALS} and {@link MISSING_TAKES_FIRST} in its high bits), the threshold as float32, the
 * first child and the second. A child ≥ 0 is the index of its node's first word; a child < 0 is leaf
 * ~child.
 */
export interface Forest {
  readonly features: number;
  readonly targets: number;
  readonly aggregate: Aggregate;
  /** One per target. */
  readonly baseValues: Float64Array;
  /** The root of each tree, in the same form as a child. */
  readonly roots: Int32Array;
  readonly nodes: Int32Array;
  /** The bytes of `nodes` as float32, for thresholds. */
  readonly thresholds: Float32Array;
  /** leaves × targets; NaN for a value that MIN and MAX skip. */
  readonly leaves: Float32Array;
}

export const NODE_WORDS = 4;

/** The node tests x = threshold instead of x ≤ threshold. */
export const EQUALS = 1 << 30;
/** A missing (NaN) value takes the first child instead of the second. */
export const MISSING_TAKES_FIRST = 1 << 29;
export const FEATURE = MISSING_TAKES_FIRST - 1;
