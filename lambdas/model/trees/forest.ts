import type { Aggregate } from '../onnx/tree-ensemble.ts';

/**
 * A forest in memory: one array of nodes, trees one after another and each depth-first, so that a
 * path stays near where it began; one array of leaves.
 *
 * A node is four 32-bit words (16 bytes, so a cache line of 64 holds four): the feature (with
 * {@link EQUALS} and {@link MISSING_TAKES_FIRST} in its high bits), the threshold as float32, the
 * first child and the second. A child ≥ 0 is the word its node begins at; a child < 0 is leaf ~child.
 */
export interface Forest {
  readonly features: number;
  readonly targets: number;
  readonly aggregate: Aggregate;
  /** One a target. */
  readonly baseValues: Float64Array;
  /** One child reference a tree. */
  readonly roots: Int32Array;
  readonly nodes: Int32Array;
  /** The same bytes, for thresholds. */
  readonly thresholds: Float32Array;
  /** leaves × targets; NaN where MIN and MAX find no value. */
  readonly leaves: Float32Array;
}

export const NODE_WORDS = 4;

/** The node asks x = threshold instead of x ≤ threshold. */
export const EQUALS = 1 << 30;
/** A missing (NaN) value takes the first child instead of the second. */
export const MISSING_TAKES_FIRST = 1 << 29;
/** What is left of the first word is the feature. */
export const FEATURE = MISSING_TAKES_FIRST - 1;
