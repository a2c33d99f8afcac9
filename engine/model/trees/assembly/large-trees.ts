import { blendLeaves } from './blend-leaves';
import { BLEND_BYTES, PART } from './blend-sizes';
import { addRow, addToAll, writeResults } from './block';
import {
  columnBytes,
  columns,
  EQUALS,
  FEATURE,
  follow,
  free,
  leaves,
  MISSING_TAKES_FIRST,
  nodes,
  stride,
  sums,
  takeBlock,
  useBoundsOfBlock,
} from './large-block';
import { Call, LargeTrees, Node } from './layout';

// Trees of any size. The points of a block pass through a tree together: each node splits the list of points into
// those that take the first child and those that take the second. Each point is written to both ends of the next
// list, and the comparison only advances one of the ends. So no branch depends on a comparison: the processor would
// mispredict half of such branches, and this dominates a walk point by point. Nor does a step depend on the previous
// step. A node that takes all points of the block to the same child is skipped. Where only a few nodes of a tree are
// open, blend-leaves.ts is faster. Lists hold points as 16-bit numbers. `first` and `end` bound a part of a list, in
// bytes.

/** The list of all points, and two more for the nodes at even and at odd depths. */
let all: usize = 0;
let even: usize = 0;
let odd: usize = 0;

export function predictLarge(call: Call, scratch: usize, from: i32, count: i32): void {
  takeBlock(call, scratch, from, count);
  all = free + BLEND_BYTES;
  even = all + (columnBytes >> 1);
  odd = even + (columnBytes >> 1);
  for (let i = 0; i < count; i++) store<u16>(all + (i << 1), <u16>i);
  const trees = changetype<LargeTrees>(call.trees);
  for (let tree = 0; tree < trees.rootCount; tree++) {
    addTree(load<i32>(trees.roots + (tree << 2)), count);
  }
  writeResults(call, from, count, sums);
}

/** Blends the leaves of each part of the block; once a part cannot be blended, walks the rest of the block. */
function addTree(root: i32, count: i32): void {
  for (let first = 0; first < count; first += PART) {
    if (blendLeaves(root, first, min(PART, count - first))) continue;
    useBoundsOfBlock();
    walkSubtree(root, all, first << 1, count << 1);
    return;
  }
}

/**
 * Adds the leaves of a subtree to the sums of the points in a part of a list. It calls itself only where
 * points take both children, so fewer times than there are points.
 */
function walkSubtree(at: i32, list: usize, first: i32, end: i32): void {
  while (true) {
    if (end - first === 2) at = findLeaf(at, load<u16>(list + first));
    else at = follow(at);
    if (at < 0) {
      addLeaf(~at, list, first, end);
      return;
    }
    const node = changetype<Node>(nodes + (at << 2));
    const next = list === even ? odd : even;
    const middle = <i32>(
      (splitPoints(node, list + first, list + end, next + first, next + end) - next)
    );
    list = next;
    if (middle === first) {
      at = node.second;
    } else {
      if (middle < end) walkSubtree(node.second, list, middle, end);
      at = node.first;
      end = middle;
    }
  }
}

/**
 * Writes the points of a part of a list: from `left` on those that take the first child, and up to `right` the
 * others. @returns where the others begin
 */
function splitPoints(node: Node, at: usize, end: usize, left: usize, right: usize): usize {
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
function findLeaf(at: i32, point: u16): i32 {
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
      addToAll(sums + (first << 2), value, stride, (end - first) >> 1);
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
