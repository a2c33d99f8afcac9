import { CUT_RANGES } from './correlation.ts';
import {
  buildGroupTree,
  ERROR,
  FIRST_HALF,
  type GroupTree,
  JOB,
  SECOND_HALF,
  SPREAD,
  type WeightedNodes,
} from './group-tree.ts';

/** The remaining budget of one request, in pairs of groups. */
export interface PairBudget {
  steps: number;
}

/** About four seconds of CPU; API Gateway waits for 29. */
export const createPairBudget = (): PairBudget => ({ steps: 60_000_000 });

/** Edge of a leaf's box: the range divided by this number. The nodes in a leaf count as one. */
const LEAVES_PER_RANGE = 8;

/**
 * ΣΣ sᵢ sⱼ e^(−hᵢⱼ / a) over all pairs of cells in two different jobs, each pair once; sᵢ is the
 * weighted error of a cell, a is the range, and h is the straight distance, 0.001 % less than the
 * ground distance over 100 km. Null if the budget is too small.
 *
 * Two groups of nodes count as one pair if they are small compared with their distance and the
 * range; otherwise the larger group is halved (Barnes & Hut 1986). A group may have nodes of several
 * jobs, so the sums of each job with itself are subtracted.
 */
export function sumBetweenJobs(
  jobs: readonly WeightedNodes[],
  rangeMetres: number,
  budget: PairBudget,
): number | null {
  const tree = buildGroupTree(jobs, rangeMetres / LEAVES_PER_RANGE);
  const pairs = createPairSummer(tree, rangeMetres, budget);
  if (tree.root !== null) pairs.addPairsWithin(tree.root);
  return budget.steps < 0 ? null : pairs.sum();
}

/** Largest neglected term, relative to the product of the errors. */
const TOLERANCE = 0.02;

function createPairSummer({ groups, ofJobs }: GroupTree, range: number, budget: PairBudget) {
  let sum = 0;
  const reach = CUT_RANGES * range;
  const jobOf = (group: number): number => groups[group + JOB] ?? 0;
  const firstHalf = (group: number): number => (groups[group + FIRST_HALF] ?? 0) | 0;
  const secondHalf = (group: number): number => (groups[group + SECOND_HALF] ?? 0) | 0;
  const isLeaf = (group: number): boolean => firstHalf(group) === secondHalf(group);

  function addPairsWithin(group: number): void {
    budget.steps -= 1;
    if (jobOf(group) >= 0 || budget.steps < 0) return;
    if (isLeaf(group)) {
      // The product of a group with itself has each pair twice.
      addProduct(group, group, 0, 1 / 2);
      subtractOwn(group, group, 1 / 2);
    } else {
      addPairsWithin(firstHalf(group));
      addPairsWithin(secondHalf(group));
      addPair(firstHalf(group), secondHalf(group));
    }
  }

  function addPair(a: number, b: number): void {
    budget.steps -= 1;
    const isOneJob = jobOf(a) === jobOf(b) && jobOf(a) >= 0;
    if (isOneJob || budget.steps < 0) return;
    const square = squaredDistance(a, b);
    const left = groups[a + SPREAD] ?? 0;
    const right = groups[b + SPREAD] ?? 0;
    const spread = left + right;
    if (square > reach * reach && Math.sqrt(square) - 2 * Math.sqrt(spread) > reach) return;
    const isLeftLeaf = isLeaf(a);
    const isRightLeaf = isLeaf(b);
    if ((isLeftLeaf && isRightLeaf) || isSmall(square, spread)) {
      addProduct(a, b, square, 1);
      if (jobOf(a) < 0 || jobOf(b) < 0) subtractOwn(a, b, 1);
    } else if (isRightLeaf || (!isLeftLeaf && left >= right)) {
      addPair(firstHalf(a), b);
      addPair(secondHalf(a), b);
    } else {
      addPair(a, firstHalf(b));
      addPair(a, secondHalf(b));
    }
  }

  function listJobGroups(group: number): readonly number[] {
    const job = jobOf(group);
    return (job < 0 ? ofJobs[-1 - job] : undefined) ?? [group];
  }

  function subtractOwn(a: number, b: number, factor: number): void {
    const ofA = listJobGroups(a);
    const ofB = listJobGroups(b);
    let [i, j] = [0, 0];
    while (i < ofA.length && j < ofB.length) {
      budget.steps -= 1;
      const left = ofA[i] ?? a;
      const right = ofB[j] ?? b;
      const ahead = jobOf(left) - jobOf(right);
      if (ahead === 0) addProduct(left, right, squaredDistance(left, right), -factor);
      if (ahead <= 0) i += 1;
      if (ahead >= 0) j += 1;
    }
  }

  function squaredDistance(a: number, b: number): number {
    const x = (groups[a] ?? 0) - (groups[b] ?? 0);
    const y = (groups[a + 1] ?? 0) - (groups[b + 1] ?? 0);
    const z = (groups[a + 2] ?? 0) - (groups[b + 2] ?? 0);
    return x * x + y * y + z * z;
  }

  function addProduct(a: number, b: number, square: number, factor: number): void {
    const spread = (groups[a + SPREAD] ?? 0) + (groups[b + SPREAD] ?? 0);
    // To the second order: the distance grows with the spread across it, and the mean of e^−h grows with the spread
    // along it.
    const distance = Math.sqrt(square + spread / 2);
    const correlated = factor * Math.exp(-distance / range) * (1 + spread / (4 * range * range));
    sum += correlated * (groups[a + ERROR] ?? 0) * (groups[b + ERROR] ?? 0);
  }

  /**
   * Whether the terms beyond the second order may be neglected, given the correlation at the near ends of two groups.
   */
  function isSmall(square: number, spread: number): boolean {
    const scale = Math.min(square, range * range);
    const neglected = spread * spread;
    const allowed = TOLERANCE * scale * scale;
    if (neglected <= allowed) return true;
    const near = Math.sqrt(square) - 2 * Math.sqrt(spread);
    return near > 0 && neglected * Math.exp(-near / range) <= allowed;
  }

  return { addPairsWithin, sum: (): number => sum };
}
