import { EQUALS, FEATURE, type Forest, MISSING_TAKES_FIRST, NODE_WORDS } from './forest.ts';

/** A leaf number has as many bits as a code: at least 8. */
const MAX_LEAVES = 256;
/** Codes range from 0 to the number of cuts and have at most 16 bits. */
const MAX_CUTS = 65_535;

/**
 * A forest of small trees. Thresholds become numbers of cuts: x ≤ the cut i is equivalent to at most i
 * cuts being below x.
 */
export interface SmallTrees {
  readonly columns: readonly Column[];
  /** Column, cut, first child and second child; a child ≥ 0 is the index of its node's first word. */
  readonly nodes: Int32Array;
  readonly trees: readonly SmallTree[];
  /** The greatest number of branches between a root and a leaf. */
  readonly depth: number;
}

/** The thresholds of one feature in nodes that send missing values to the same child. */
export interface Column {
  readonly feature: number;
  readonly missingTakesFirst: boolean;
  /** In ascending order. */
  readonly cuts: Float32Array;
}

export interface SmallTree {
  readonly root: number;
  /** The tree adds to `width` targets from `target` on; `width` is 1 or an even number. */
  readonly target: number;
  readonly width: number;
  /** leaves × width */
  readonly values: Float32Array;
}

/** Returns undefined if a tree has too many leaves or levels, a column too many cuts, or a node an unsupported test. */
export function packSmallTrees(forest: Forest): SmallTrees | undefined {
  // The leaves are counted before millions of thresholds are sorted, because most forests are far too large.
  const leafCount = forest.leaves.length / forest.targets;
  if (leafCount > forest.roots.length * MAX_LEAVES) return undefined;
  const columns = indexColumns(forest);
  if (!columns) return undefined;
  const nodes: number[] = [];
  const trees: SmallTree[] = [];
  let depth = 0;
  for (const root of forest.roots) {
    const leaves: number[] = [];
    /** A node that several branches share is copied. @returns undefined if the tree is too large */
    const placeNode = (at: number, above: number): number | undefined => {
      depth = Math.max(depth, above);
      if (above >= MAX_LEAVES || leaves.length >= MAX_LEAVES) return undefined;
      if (at < 0) return ~(leaves.push(~at) - 1);
      const placed = nodes.length;
      const column = columns.get(forest.nodes[at] ?? 0);
      nodes.push(column?.index ?? 0, column?.places.get(forest.thresholds[at + 1] ?? 0) ?? 0, 0, 0);
      for (const child of [2, 3]) {
        const reference = placeNode(forest.nodes[at + child] ?? 0, above + 1);
        if (reference === undefined) return undefined;
        nodes[placed + child] = reference;
      }
      return placed;
    };
    const placed = placeNode(root, 0);
    if (placed === undefined) return undefined;
    trees.push({ root: placed, ...collectLeafValues(forest, leaves) });
  }
  return { columns: [...columns.values()], nodes: Int32Array.from(nodes), trees, depth };
}

interface IndexedColumn extends Column {
  readonly index: number;
  readonly places: ReadonlyMap<number, number>;
}

/** The columns by the first word of their nodes. */
function indexColumns({ nodes, thresholds }: Forest): Map<number, IndexedColumn> | undefined {
  const cutsOf = new Map<number, Set<number>>();
  for (let at = 0; at < nodes.length; at += NODE_WORDS) {
    const question = nodes[at] ?? 0;
    const threshold = thresholds[at + 1] ?? Number.NaN;
    if ((question & EQUALS) !== 0 || Number.isNaN(threshold)) return undefined;
    const cuts = cutsOf.get(question);
    if (cuts) cuts.add(threshold);
    else cutsOf.set(question, new Set([threshold]));
  }
  const columns = new Map<number, IndexedColumn>();
  for (const [question, set] of cutsOf) {
    if (set.size > MAX_CUTS) return undefined;
    const cuts = Float32Array.from(set).sort();
    columns.set(question, {
      index: columns.size,
      feature: question & FEATURE,
      missingTakesFirst: (question & MISSING_TAKES_FIRST) !== 0,
      cuts,
      places: new Map(Array.from(cuts, (cut, i) => [cut, i])),
    });
  }
  return columns;
}

/**
 * Omits the zeros of the targets before and after those to which the tree adds: a boosted tree adds
 * to one target.
 */
function collectLeafValues(
  { leaves, targets }: Forest,
  ids: readonly number[],
): Omit<SmallTree, 'root'> {
  let [first, last] = [targets, -1];
  for (const leaf of ids) {
    const row = leaf * targets;
    for (let t = 0; t < first; t++) if (leaves[row + t] !== 0) first = t;
    for (let t = targets - 1; t > last; t--) if (leaves[row + t] !== 0) last = t;
  }
  if (last < 0) [first, last] = [0, 0];
  const target = first === last ? first : first - (first % 2);
  const width = first === last ? 1 : last - target + 1 + ((last - target + 1) % 2);
  const values = new Float32Array(ids.length * width);
  const end = Math.min(target + width, targets);
  for (const [i, leaf] of ids.entries()) {
    values.set(leaves.subarray(leaf * targets + target, leaf * targets + end), i * width);
  }
  return { target, width, values };
}
