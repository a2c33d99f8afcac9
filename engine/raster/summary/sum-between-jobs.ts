import { type CoarseNodes, NODE_NUMBERS } from './coarse-nodes.ts';
import { CUT_RANGES } from './correlation.ts';
import type { HalfWidths } from './sum-within-job.ts';

/** A job's coarse nodes, and by what its errors are multiplied. */
export interface WeightedNodes {
  readonly nodes: CoarseNodes;
  readonly weight: number;
}

/**
 * ΣΣ sᵢ sⱼ e^(−hᵢⱼ / a) over all pairs of cells in two different jobs, each pair once, for both sums; h
 * is the straight distance, 0.001 % less than that on the ground over 100 km.
 *
 * Two groups of nodes count as one pair if they are small beside their distance and the range, else the
 * larger is halved (Barnes & Hut 1986). So jobs that are far from each other take one step.
 */
export function sumBetweenJobs(jobs: readonly WeightedNodes[], rangeMetres: number): HalfWidths {
  const trees = jobs.map(treeOf);
  const pairs = pairSummer(rangeMetres);
  for (const [i, a] of trees.entries()) {
    for (let j = 0; j < i; j += 1) {
      const b = trees[j];
      if (b !== undefined) pairs.add(a, 0, b, 0);
    }
  }
  return pairs.sums();
}

/**
 * A binary tree over the nodes, whose order keeps neighbours together: the parts of 1 … n in halves. Seven
 * numbers for each part: x, y, z, lower, upper, spread, and the index of its second half, or 0 for one node.
 * The first half follows its whole.
 */
type Tree = Float64Array;

const PART_NUMBERS = 7;

function treeOf({ nodes: { origin, values }, weight }: WeightedNodes): Tree {
  const count = values.length / NODE_NUMBERS;
  const tree = new Float64Array(PART_NUMBERS * (2 * count - 1));
  let size = 0;
  const build = (from: number, to: number): number => {
    const part = PART_NUMBERS * size;
    size += 1;
    if (to - from === 1) {
      const at = NODE_NUMBERS * from;
      for (let k = 0; k < 3; k += 1) tree[part + k] = (origin[k] ?? 0) + (values[at + k] ?? 0);
      tree[part + 3] = weight * (values[at + 3] ?? 0);
      tree[part + 4] = weight * (values[at + 4] ?? 0);
      tree[part + 5] = values[at + 5] ?? 0;
      return part;
    }
    const middle = Math.floor((from + to) / 2);
    const first = build(from, middle);
    const second = build(middle, to);
    join(tree, part, first, second);
    tree[part + 6] = second;
    return part;
  };
  if (count > 0) build(0, count);
  return tree;
}

/** The place and spread of two parts together (the parallel-axis theorem). */
function join(tree: Tree, part: number, first: number, second: number): void {
  const weightOf = (at: number): number => (tree[at + 3] ?? 0) + (tree[at + 4] ?? 0);
  const share = weightOf(second) / (weightOf(first) + weightOf(second));
  let apart = 0;
  for (let k = 0; k < 3; k += 1) {
    const between = (tree[second + k] ?? 0) - (tree[first + k] ?? 0);
    apart += between * between;
    tree[part + k] = (tree[first + k] ?? 0) + share * between;
  }
  tree[part + 3] = (tree[first + 3] ?? 0) + (tree[second + 3] ?? 0);
  tree[part + 4] = (tree[first + 4] ?? 0) + (tree[second + 4] ?? 0);
  tree[part + 5] =
    (1 - share) * (tree[first + 5] ?? 0) +
    share * (tree[second + 5] ?? 0) +
    share * (1 - share) * apart;
}

/** Largest neglected term, relative to the product of the errors. */
const TOLERANCE = 0.02;

function pairSummer(range: number) {
  let [lower, upper] = [0, 0];
  const reach = CUT_RANGES * range;

  function add(a: Tree, i: number, b: Tree, j: number): void {
    const x = (a[i] ?? 0) - (b[j] ?? 0);
    const y = (a[i + 1] ?? 0) - (b[j + 1] ?? 0);
    const z = (a[i + 2] ?? 0) - (b[j + 2] ?? 0);
    const square = x * x + y * y + z * z;
    const [left, right] = [a[i + 5] ?? 0, b[j + 5] ?? 0];
    const spread = left + right;
    if (square > reach * reach && Math.sqrt(square) - 2 * Math.sqrt(spread) > reach) return;
    const [leftHalf, rightHalf] = [a[i + 6] ?? 0, b[j + 6] ?? 0];
    if ((leftHalf === 0 && rightHalf === 0) || isSmall(square, spread)) {
      // To the second order: the distance grows with the spread across it, the mean of e^−h with that along it.
      const distance = Math.sqrt(square + spread / 2);
      const correlated = Math.exp(-distance / range) * (1 + spread / (4 * range * range));
      lower += correlated * (a[i + 3] ?? 0) * (b[j + 3] ?? 0);
      upper += correlated * (a[i + 4] ?? 0) * (b[j + 4] ?? 0);
    } else if (rightHalf === 0 || (leftHalf !== 0 && left >= right)) {
      add(a, i + PART_NUMBERS, b, j);
      add(a, leftHalf, b, j);
    } else {
      add(a, i, b, j + PART_NUMBERS);
      add(a, i, b, rightHalf);
    }
  }

  /** Whether the terms beyond the second order, of the correlation at the near ends, may be neglected. */
  function isSmall(square: number, spread: number): boolean {
    const scale = Math.min(square, range * range);
    const neglected = spread * spread;
    const allowed = TOLERANCE * scale * scale;
    if (neglected <= allowed) return true;
    const near = Math.sqrt(square) - 2 * Math.sqrt(spread);
    return near > 0 && neglected * Math.exp(-near / range) <= allowed;
  }

  return { add, sums: (): HalfWidths => ({ lower, upper }) };
}
