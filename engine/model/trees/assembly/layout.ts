// The structures that block-memory.ts writes into the shared memory. Every field but `divisor` is a word
// of 32 bits; a `usize` is an offset in the memory.

/** The input of both kernels: the points of a call, and how sums become results. */
@unmanaged
export class Call {
  features: i32;
  targets: i32;
  /** float32, points × features. */
  points: usize;
  /** float32, points × targets. */
  results: usize;
  /** float64, one for each target. */
  baseValues: usize;
  /**
   * Number of float64 sums for each point: 1 for a single target, otherwise the number of targets rounded up to even.
   */
  stride: i32;
  divisor: f64;
  /** The address of LargeTrees or SmallTrees. */
  trees: usize;
}

@unmanaged
export class LargeTrees {
  /** References of the roots. */
  roots: usize;
  rootCount: i32;
  nodes: usize;
  /** float32, leaves × stride. */
  leaves: usize;
}

/** The node of forest.ts: a reference ≥ 0 is the index of a node's first word; a reference < 0 is ~leaf. */
@unmanaged
export class Node {
  question: i32;
  threshold: f32;
  first: i32;
  second: i32;
}

@unmanaged
export class SmallTrees {
  columns: usize;
  columnCount: i32;
  nodes: usize;
  trees: usize;
  treeCount: i32;
}

@unmanaged
export class Column {
  feature: i32;
  missingTakesFirst: i32;
  /** The cuts are float32, in ascending order. */
  cuts: usize;
  cutCount: i32;
}

/** A point takes the first child if at most `cut` cuts of the column are below its value. */
@unmanaged
export class CodeNode {
  column: i32;
  cut: i32;
  /** Index of the child's first word; or ~leaf, where leaves are numbered within the tree. */
  first: i32;
  second: i32;
}

@unmanaged
export class SmallTree {
  root: i32;
  /** float32, leaves × width. */
  values: usize;
  /** The first of the `width` targets to which the tree adds; `width` is 1 or an even number. */
  target: i32;
  width: i32;
}
