import { PART } from './blend-sizes';
import { aligned, leastLane, transpose } from './block';
import { Call, LargeTrees, Node } from './layout';

/** The flags in a node's first word (forest.ts), and the mask of its feature. */
export const EQUALS: i32 = 1 << 30;
export const MISSING_TAKES_FIRST: i32 = 1 << 29;
export const FEATURE: i32 = MISSING_TAKES_FIRST - 1;

// The block, for large-trees.ts and blend-leaves.ts. Every thread has its own instance of the module.
export let nodes: usize = 0;
export let leaves: usize = 0;
export let columns: usize = 0;
export let columnBytes: i32 = 0;
export let stride: i32 = 0;
export let sums: usize = 0;
/** Memory after the block. */
export let free: usize = 0;
/** The address of the least and the greatest value of each column, of the whole block and then of each part. */
let ofBlock: usize = 0;
let boundsBytes: i32 = 0;
/** The address of the bounds in use, those of the block or of a part. */
export let bounds: usize = 0;

export function takeBlock(call: Call, scratch: usize, from: i32, count: i32): void {
  const trees = changetype<LargeTrees>(call.trees);
  nodes = trees.nodes;
  leaves = trees.leaves;
  stride = call.stride;
  columnBytes = aligned(count << 2);
  boundsBytes = call.features << 3;
  columns = scratch;
  sums = columns + call.features * columnBytes;
  const sumBytes = aligned((count * stride) << 3);
  ofBlock = sums + sumBytes;

  transpose(call, from, count, columns, columnBytes);
  memory.fill(sums, 0, sumBytes);
  free = findBounds(ofBlock, 0, columnBytes);
  for (let first = 0; first < columnBytes; first += PART << 2) {
    free = findBounds(free, first, min(first + (PART << 2), columnBytes));
  }
  free = aligned(free);
}

/**
 * Finds the least and the greatest value of each column between the byte offsets `first` and `end`; both are NaN if
 * one of the values is. @returns the end of the bounds
 */
function findBounds(to: usize, first: i32, end: i32): usize {
  for (let column = columns; column < sums; column += columnBytes) {
    let least = v128.load(column + first);
    let greatest = least;
    let missing = f32x4.ne(least, least);
    for (let at = column + first + 16; at < column + end; at += 16) {
      const some = v128.load(at);
      least = f32x4.pmin(least, some);
      greatest = f32x4.pmax(greatest, some);
      missing = v128.or(missing, f32x4.ne(some, some));
    }
    const isMissing = v128.any_true(missing);
    store<f32>(to, isMissing ? f32.NaN : leastLane(least));
    store<f32>(to, isMissing ? f32.NaN : -leastLane(f32x4.neg(greatest)), 4);
    to += 8;
  }
  return to;
}

export function useBoundsOfBlock(): void {
  bounds = ofBlock;
}

/** @param first first point of the part */
export function useBoundsOfPart(first: i32): void {
  bounds = ofBlock + (1 + first / PART) * boundsBytes;
}

/**
 * Follows a subtree as long as the bounds in use show that all points take the same child.
 * @returns the node that they leave open, or the reference of a leaf
 */
export function follow(at: i32): i32 {
  while (at >= 0) {
    const node = changetype<Node>(nodes + (at << 2));
    if (node.question & EQUALS) break;
    const bound = bounds + ((node.question & FEATURE) << 3);
    if (load<f32>(bound, 4) <= node.threshold) at = node.first;
    else if (load<f32>(bound) > node.threshold) at = node.second;
    else break;
  }
  return at;
}
