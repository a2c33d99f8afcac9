import { addRow, addToAll, aligned, transpose, writeResults } from './block';
import { Call, LargeTrees, Node } from './layout';

// Trees of any size. The points of a block pass through a tree together: each node splits the list of
// points into those that take the first child and those that take the second. Each point is written to
// both ends of the next list, and the comparison only advances one of the ends. So no branch depends on a
// comparison: the processor would mispredict half of these, which dominates the time of a walk point by
// point. Nor does a step depend on the previous one. A node that takes all points of the block to the
// same child is skipped.
//
// Lists hold points as 16-bit numbers. `first` and `end` bound a part of a list, in bytes.

/** Flags in a node's first word (forest.ts). */
const EQUALS: i32 = 1 << 30;
const MISSING_TAKES_FIRST: i32 = 1 << 29;
const FEATURE: i32 = MISSING_TAKES_FIRST - 1;

// The block. Every thread has its own instance of the module.
let nodes: usize = 0;
let columns: usize = 0;
let columnBytes: i32 = 0;
/** The least and the greatest value of each column; NaN if it contains NaN. */
let bounds: usize = 0;
/** The list of all points, and two more for the nodes at even and at odd depths. */
let all: usize = 0;
let even: usize = 0;
let odd: usize = 0;
let leaves: usize = 0;
let sums: usize = 0;
let stride: i32 = 0;

export function predictLarge(call: Call, scratch: usize, from: i32, count: i32): void {
  const trees = changetype<LargeTrees>(call.trees);
  nodes = trees.nodes;
  leaves = trees.leaves;
  stride = call.stride;
  columnBytes = aligned(count << 2);
  columns = scratch;
  bounds = columns + call.features * columnBytes;
  all = bounds + aligned(call.features << 3);
  even = all + (columnBytes >> 1);
  odd = even + (columnBytes >> 1);
  sums = odd + (columnBytes >> 1);

  transpose(call, from, count, columns, columnBytes);
  for (let feature = 0; feature < call.features; feature++) findBounds(feature);
  for (let i = 0; i < count; i++) store<u16>(all + (i << 1), <u16>i);
  memory.fill(sums, 0, (count * stride) << 3);
  for (let tree = 0; tree < trees.rootCount; tree++) {
    walk(load<i32>(trees.roots + (tree << 2)), all, 0, count << 1);
  }
  writeResults(call, from, count, sums);
}

function findBounds(feature: i32): void {
  const column = columns + feature * columnBytes;
  let least = load<f32>(column);
  let greatest = least;
  for (let at = column; at < column + columnBytes; at += 4) {
    // Both propagate NaN.
    least = min(least, load<f32>(at));
    greatest = max(greatest, load<f32>(at));
  }
  store<f32>(bounds + (feature << 3), least);
  store<f32>(bounds + (feature << 3), greatest, 4);
}

/**
 * Adds the leaves of a subtree to the sums of the points in a part of a list. It calls itself only where
 * points take both children, so fewer times than there are points.
 */
function walk(at: i32, list: usize, first: i32, end: i32): void {
  while (true) {
    if (end - first === 2) at = leafOf(at, load<u16>(list + first));
    if (at < 0) {
      addLeaf(~at, list, first, end);
      return;
    }
    const node = changetype<Node>(nodes + (at << 2));
    if ((node.question & ~FEATURE) === 0) {
      const bound = bounds + (node.question << 3);
      if (load<f32>(bound, 4) <= node.threshold) {
        at = node.first;
        continue;
      }
      if (load<f32>(bound) > node.threshold) {
        at = node.second;
        continue;
      }
    }
    const next = list === even ? odd : even;
    const middle = <i32>(split(node, list + first, list + end, next + first, next + end) - next);
    list = next;
    if (middle === first) {
      at = node.second;
    } else {
      if (middle < end) walk(node.second, list, middle, end);
      at = node.first;
      end = middle;
    }
  }
}

/**
 * Writes the points of a part of a list that take the first child from `left` on, the others up to
 * `right`. @returns where the others begin
 */
function split(node: Node, at: usize, end: usize, left: usize, right: usize): usize {
  const question = node.question;
  const threshold = node.threshold;
  const column = columns + (question & FEATURE) * columnBytes;
  const plain = (question & ~FEATURE) === 0;
  for (; at < end; at += 2) {
    const point = load<u16>(at);
    const value = load<f32>(column + ((<usize>point) << 2));
    const bytes =
      (<usize>(plain ? value <= threshold : takesFirst(question, value, threshold))) << 1;
    right -= 2;
    store<u16>(left, point);
    store<u16>(right, point);
    left += bytes;
    right += bytes;
  }
  return left;
}

function takesFirst(question: i32, value: f32, threshold: f32): bool {
  if (isNaN(value)) return (question & MISSING_TAKES_FIRST) !== 0;
  return question & EQUALS ? value === threshold : value <= threshold;
}

/** The reference of the leaf of one point in a subtree. */
function leafOf(at: i32, point: u16): i32 {
  const values = columns + ((<usize>point) << 2);
  while (at >= 0) {
    const node = changetype<Node>(nodes + (at << 2));
    const value = load<f32>(values + (node.question & FEATURE) * columnBytes);
    at = takesFirst(node.question, value, node.threshold) ? node.first : node.second;
  }
  return at;
}

function addLeaf(leaf: i32, list: usize, first: i32, end: i32): void {
  if (stride === 1) {
    const value = <f64>load<f32>(leaves + (leaf << 2));
    if (list === all) {
      addToAll(sums, value, stride, end >> 1);
      return;
    }
    for (let at = list + first; at < list + end; at += 2) {
      const sum = sums + ((<usize>load<u16>(at)) << 3);
      store<f64>(sum, load<f64>(sum) + value);
    }
  } else {
    const valueBytes = stride << 2;
    const values = leaves + leaf * valueBytes;
    for (let at = list + first; at < list + end; at += 2) {
      addRow(sums + load<u16>(at) * (valueBytes << 1), values, valueBytes);
    }
  }
}
