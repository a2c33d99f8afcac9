import { addRow, addToAll, aligned, leastLane, transpose, writeResults } from './block';
import { Call, CodeNode, Column, SmallTree, SmallTrees } from './layout';

// Trees of at most 256 leaves. A node compares all points of a block with its threshold, 16 or 8 at a time, and
// selects from the leaf numbers of its children, so that no branch depends on a point (as in VPred: Asadi, Lin and de
// Vries 2014, doi:10.1109/TKDE.2013.73). A node that takes all points to the same child is skipped, with the other
// child's subtree. Most nodes are skipped if the points are neighbours. Points are compared by codes: the number of
// thresholds (cuts) of a column below their value. Within a block, only the cuts between a column's least and
// greatest code matter. If no column has more than 255 such cuts, codes are bytes, otherwise they have 16 bits. `T`
// is the type of codes and of leaf numbers: u8 or u16.

/** A column in this block: the least and the greatest code, and the points' codes minus the least. */
@unmanaged
class Codes {
  least: i32;
  greatest: i32;
  list: usize;
}

// The block. Every thread has its own instance of the module.
let nodes: usize = 0;
let columns: usize = 0;
/** `Codes` of each column. */
let codes: usize = 0;
/** Bytes of a list with one number for each point. */
let listBytes: i32 = 0;

export function predictSmall(call: Call, scratch: usize, from: i32, count: i32): void {
  const trees = changetype<SmallTrees>(call.trees);
  const valueBytes = aligned(count) << 2;
  const values = scratch;
  const sums = values + call.features * valueBytes;
  const sumBytes = aligned((count * call.stride) << 3);
  nodes = trees.nodes;
  columns = trees.columns;
  codes = sums + sumBytes;

  transpose(call, from, count, values, valueBytes);
  let widest = 0;
  for (let i = 0; i < trees.columnCount; i++) {
    widest = max(widest, findRange(i, values, valueBytes));
  }
  memory.fill(sums, 0, sumBytes);
  if (widest < 256) addTrees<u8>(trees, values, valueBytes, sums, call.stride, count);
  else addTrees<u16>(trees, values, valueBytes, sums, call.stride, count);
  writeResults(call, from, count, sums);
}

/** Finds the least and the greatest code of a column. @returns their difference */
function findRange(index: i32, values: usize, valueBytes: i32): i32 {
  const column = changetype<Column>(columns + index * offsetof<Column>());
  const range = changetype<Codes>(codes + index * offsetof<Codes>());
  const first = values + column.feature * valueBytes;
  let least = v128.load(first);
  let greatest = least;
  let missing = f32x4.ne(least, least);
  for (let at = first + 16; at < first + valueBytes; at += 16) {
    const some = v128.load(at);
    least = f32x4.pmin(least, some);
    greatest = f32x4.pmax(greatest, some);
    missing = v128.or(missing, f32x4.ne(some, some));
  }
  range.least = 0;
  range.greatest = column.cutCount;
  if (!v128.any_true(missing)) {
    range.least = codeOf(column.cuts, 0, column.cutCount, leastLane(least));
    range.greatest = codeOf(column.cuts, 0, column.cutCount, -leastLane(f32x4.neg(greatest)));
  }
  return range.greatest - range.least;
}

/** The number of cuts below a value, known to be from `least` to `greatest`; `least` for NaN. */
function codeOf(cuts: usize, least: i32, greatest: i32, value: f32): i32 {
  // A binary search without a branch that depends on a comparison.
  let code = least;
  let size = greatest - least;
  while (size > 0) {
    const half = (size + 1) >> 1;
    code += select(half, 0, load<f32>(cuts + ((code + half - 1) << 2)) < value);
    size -= half;
  }
  return code;
}

function encodeColumn<T>(index: i32, values: usize, valueBytes: i32): void {
  const column = changetype<Column>(columns + index * offsetof<Column>());
  const range = changetype<Codes>(codes + index * offsetof<Codes>());
  const least = range.least;
  const greatest = range.greatest;
  if (least === greatest) return;
  const cuts = column.cuts;
  const ofMissing = column.missingTakesFirst ? least : greatest;
  const first = values + column.feature * valueBytes;
  let to = range.list;
  for (let at = first; at < first + valueBytes; at += 4) {
    const value = load<f32>(at);
    const code = select(ofMissing, codeOf(cuts, least, greatest, value), isNaN(value));
    store<T>(to, <T>(code - least));
    to += sizeof<T>();
  }
}

/** Encodes the points, then adds the leaves of every tree to the sums, in the order of the trees. */
function addTrees<T>(
  trees: SmallTrees,
  values: usize,
  valueBytes: i32,
  sums: usize,
  stride: i32,
  count: i32,
): void {
  listBytes = (valueBytes >> 2) * sizeof<T>();
  let list = codes + aligned(trees.columnCount * offsetof<Codes>());
  for (let i = 0; i < trees.columnCount; i++) {
    changetype<Codes>(codes + i * offsetof<Codes>()).list = list;
    encodeColumn<T>(i, values, valueBytes);
    list += listBytes;
  }
  for (let i = 0; i < trees.treeCount; i++) {
    const tree = changetype<SmallTree>(trees.trees + i * offsetof<SmallTree>());
    const leaf = findLeaves<T>(tree.root, list);
    const first = sums + (tree.target << 3);
    if (tree.width > 1) addRows<T>(tree, leaf, list, first, stride, count);
    else if (leaf >= 0) addValues<T>(tree, list, first, stride, count);
    else addToAll(first, load<f32>(tree.values + (~leaf << 2)), stride, count);
  }
}

/**
 * Finds the leaves of the points in a subtree, and writes their numbers to the list `to`.
 * @returns ~leaf, with nothing written, if all points have the same leaf; otherwise 0
 */
function findLeaves<T>(at: i32, to: usize): i32 {
  let node: CodeNode;
  let range: Codes;
  while (true) {
    if (at < 0) return at;
    node = changetype<CodeNode>(nodes + (at << 2));
    range = changetype<Codes>(codes + node.column * offsetof<Codes>());
    if (range.greatest <= node.cut) at = node.first;
    else if (range.least > node.cut) at = node.second;
    else break;
  }
  const first = findLeaves<T>(node.first, to);
  const second = findLeaves<T>(node.second, to + listBytes);
  selectLeaves<T>(to, range.list, v128.splat<T>(<T>(node.cut - range.least)), first, second);
  return 0;
}

/**
 * Selects the first child's leaf for the points whose code is at most `cut`. The children's leaves
 * are in the list `to` and in the next list, unless all points of a child have the same leaf, which
 * is then given as ~leaf. A loop for each of the four cases is faster than a single loop that
 * decides in each step.
 */
function selectLeaves<T>(to: usize, codes: usize, cut: v128, first: i32, second: i32): void {
  const bytes: usize = listBytes;
  const end = to + bytes;
  const firstLeaf = v128.splat<T>(<T>~first);
  const secondLeaf = v128.splat<T>(<T>~second);
  if (first < 0 && second < 0) {
    for (; to < end; to += 16, codes += 16) {
      v128.store(to, v128.bitselect(firstLeaf, secondLeaf, v128.le<T>(v128.load(codes), cut)));
    }
  } else if (first < 0) {
    for (; to < end; to += 16, codes += 16) {
      const other = v128.load(to + bytes);
      v128.store(to, v128.bitselect(firstLeaf, other, v128.le<T>(v128.load(codes), cut)));
    }
  } else if (second < 0) {
    for (; to < end; to += 16, codes += 16) {
      const one = v128.load(to);
      v128.store(to, v128.bitselect(one, secondLeaf, v128.le<T>(v128.load(codes), cut)));
    }
  } else {
    for (; to < end; to += 16, codes += 16) {
      const one = v128.load(to);
      const other = v128.load(to + bytes);
      v128.store(to, v128.bitselect(one, other, v128.le<T>(v128.load(codes), cut)));
    }
  }
}

function addValues<T>(tree: SmallTree, list: usize, sums: usize, stride: i32, count: i32): void {
  const values = tree.values;
  const end = sums + ((count * stride) << 3);
  if (stride === 1) {
    for (; sums < end; sums += 16) {
      const value = v128.load32_zero(values + ((<usize>load<T>(list)) << 2));
      const next = values + ((<usize>load<T>(list, sizeof<T>())) << 2);
      const pair = f64x2.promote_low_f32x4(v128.load_lane<f32>(next, value, 1));
      v128.store(sums, f64x2.add(v128.load(sums), pair));
      list += 2 * sizeof<T>();
    }
  } else {
    for (; sums < end; sums += stride << 3) {
      store<f64>(sums, load<f64>(sums) + <f64>load<f32>(values + ((<usize>load<T>(list)) << 2)));
      list += sizeof<T>();
    }
  }
}

function addRows<T>(
  tree: SmallTree,
  leaf: i32,
  list: usize,
  sums: usize,
  stride: i32,
  count: i32,
): void {
  const rowBytes = tree.width << 2;
  const end = sums + ((count * stride) << 3);
  for (; sums < end; sums += stride << 3) {
    const number = leaf < 0 ? ~leaf : <i32>load<T>(list);
    addRow(sums, tree.values + number * rowBytes, rowBytes);
    list += sizeof<T>();
  }
}
