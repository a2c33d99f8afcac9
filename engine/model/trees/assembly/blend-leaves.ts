import { MOST_OPEN, PART } from './blend-sizes';
import { addRow, addToAll } from './block';
import {
  bounds,
  columnBytes,
  columns,
  EQUALS,
  FEATURE,
  follow,
  free,
  leaves,
  nodes,
  stride,
  sums,
  useBoundsOfPart,
} from './large-block';
import { Node } from './layout';

// The bounds of neighbouring points decide most nodes of a tree; the few others are open. An open node compares all
// points of a part of the block, 4 at a time, and selects from its children's words: a word is the leaf's value if
// there is one target, otherwise the leaf's number. So no branch depends on a point.

/** Bytes of a list with one word per point of a part. */
const WORDS: i32 = PART << 2;
/** The position in the list of the open nodes and the leaves below them, depth-first. */
let trail: usize = 0;

/**
 * Adds the leaves of a tree to the sums of a part's points.
 * @returns false, with nothing added, if too many nodes are open, or if an open node tests for equality or
 * tests a feature that a point lacks
 */
export function blendLeaves(root: i32, first: i32, count: i32): bool {
  useBoundsOfPart(first);
  const words = free + 8 * MOST_OPEN + 16;
  trail = free;
  if (traceSubtree(root, 0) > MOST_OPEN) return false;
  trail = free;
  const leaf = blendSubtree(words, columns + (first << 2), min(WORDS, columnBytes - (first << 2)));
  const to = sums + ((first * stride) << 3);
  if (stride === 1) {
    if (leaf < 0) addToAll(to, load<f32>(leaves + (~leaf << 2)), 1, count);
    else addRow(to, words, ((count + 1) & ~1) << 2);
  } else {
    const rowBytes = stride << 2;
    for (let i = 0; i < count; i++) {
      const number = leaf < 0 ? ~leaf : load<i32>(words + (i << 2));
      addRow(to + i * (rowBytes << 1), leaves + number * rowBytes, rowBytes);
    }
  }
  return true;
}

/** Lists a subtree. @returns the number of its open nodes plus `open`; MOST_OPEN + 1 if the tree cannot be blended */
function traceSubtree(at: i32, open: i32): i32 {
  while (open <= MOST_OPEN) {
    at = follow(at);
    store<i32>(trail, at);
    trail += 4;
    if (at < 0) return open;
    const node = changetype<Node>(nodes + (at << 2));
    const question = node.question;
    if (question & EQUALS || isNaN(load<f32>(bounds + ((question & FEATURE) << 3)))) break;
    open = traceSubtree(node.first, open + 1);
    at = node.second;
  }
  return MOST_OPEN + 1;
}

/**
 * Writes the words of the points to a list; the words of the second child need the next list only if those of the
 * first child are written.
 * @returns ~leaf, with nothing written, if all points have the same leaf; otherwise 0
 */
function blendSubtree(to: usize, values: usize, bytes: i32): i32 {
  const at = load<i32>(trail);
  trail += 4;
  if (at < 0) return at;
  const first = blendSubtree(to, values, bytes);
  const others = first < 0 ? to : to + WORDS;
  const second = blendSubtree(others, values, bytes);
  const node = changetype<Node>(nodes + (at << 2));
  const threshold = f32x4.splat(node.threshold);
  let column = values + (node.question & FEATURE) * columnBytes;
  const end = to + bytes;
  // A loop for each case is faster than one that decides in each step.
  if (first < 0 && second < 0) {
    const one = wordOf(first);
    const other = wordOf(second);
    for (; to < end; to += 16, column += 16) {
      v128.store(to, v128.bitselect(one, other, f32x4.le(v128.load(column), threshold)));
    }
  } else if (first < 0) {
    const one = wordOf(first);
    for (; to < end; to += 16, column += 16) {
      const other = v128.load(to);
      v128.store(to, v128.bitselect(one, other, f32x4.le(v128.load(column), threshold)));
    }
  } else if (second < 0) {
    const other = wordOf(second);
    for (; to < end; to += 16, column += 16) {
      const one = v128.load(to);
      v128.store(to, v128.bitselect(one, other, f32x4.le(v128.load(column), threshold)));
    }
  } else {
    for (; to < end; to += 16, column += 16) {
      const one = v128.load(to);
      const other = v128.load(to, WORDS);
      v128.store(to, v128.bitselect(one, other, f32x4.le(v128.load(column), threshold)));
    }
  }
  return 0;
}

function wordOf(leaf: i32): v128 {
  return stride === 1 ? v128.load32_splat(leaves + (~leaf << 2)) : i32x4.splat(~leaf);
}
