import { ModelInvalid } from '../onnx/errors.ts';
import type { Aggregate, TreeEnsemble } from '../onnx/tree-ensemble.ts';
import type { TreeRows } from './tree-rows.ts';

/** 512 MiB as float32. */
const MAX_LEAF_VALUES = 2 ** 27;

/**
 * The leaves' values, leaves × targets. Where a leaf has no weight for a target, the value is zero for sums and
 * averages, and NaN for MIN and MAX, which skip it. With a single target, it is zero for MIN and MAX too, as in ONNX
 * Runtime. Several weights for the same leaf and target are aggregated like the weights of several trees. Weights at
 * a branch are ignored, as in ONNX Runtime.
 */
export function collectLeaves(
  { targets, aggregate, leafWeights }: TreeEnsemble,
  trees: readonly TreeRows[],
  leafOfRow: Int32Array,
  leafCount: number,
): Float32Array {
  if (leafCount * targets > MAX_LEAF_VALUES) {
    throw new ModelInvalid(`${leafCount} leaves of ${targets} targets are too many`);
  }
  const leaves = new Float32Array(leafCount * targets);
  const isSum = aggregate === 'SUM' || aggregate === 'AVERAGE';
  const join = JOIN[aggregate];
  leaves.fill(START[aggregate]);
  const leafAt = createLeafLookUp(trees, leafOfRow);
  const { treeIds, nodeIds, targetIds, weights } = leafWeights;
  let [treeId, nodeId, leaf] = [Number.NaN, Number.NaN, -1];
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? Number.NaN;
    const target = targetIds[i] ?? -1;
    // A leaf's values usually follow each other and need no further search.
    if (treeIds[i] !== treeId || nodeIds[i] !== nodeId) {
      treeId = treeIds[i] ?? -1;
      nodeId = nodeIds[i] ?? -1;
      leaf = leafAt(treeId, nodeId);
    }
    if (target < 0 || target >= targets) {
      throw new ModelInvalid(`a weight is for target ${target}: allowed are 0 to ${targets - 1}`);
    }
    if (!Number.isFinite(weight)) {
      throw new ModelInvalid(`node ${nodeId} of tree ${treeId} has the weight ${weight}`);
    }
    if (leaf < 0) continue;
    const at = leaf * targets + target;
    const total = leaves[at] ?? 0;
    leaves[at] = isSum ? total + weight : join(total, weight);
  }
  if (targets === 1) {
    leaves.forEach((value, leaf) => {
      leaves[leaf] = Number.isNaN(value) ? 0 : value;
    });
  }
  return leaves;
}

/** The leaf at a node; -1 at a branch. */
function createLeafLookUp(
  trees: readonly TreeRows[],
  leafOfRow: Int32Array,
): (treeId: number, nodeId: number) => number {
  const treeOfId = new Map(trees.map((tree) => [tree.id, tree]));
  return (treeId, nodeId) => {
    const row = treeOfId.get(treeId)?.rowOf(nodeId) ?? -1;
    if (row < 0) {
      throw new ModelInvalid(
        `a weight is for node ${nodeId} of tree ${treeId}, which does not exist`,
      );
    }
    return leafOfRow[row] ?? -1;
  };
}

/** The initial value: zero for sums and averages, NaN (no value) for MIN and MAX. */
export const START: Readonly<Record<Aggregate, number>> = {
  SUM: 0,
  AVERAGE: 0,
  MIN: Number.NaN,
  MAX: Number.NaN,
};

/** Combines the total of earlier trees with a leaf's value; for MIN and MAX, NaN means no value. */
export const JOIN: Readonly<Record<Aggregate, (total: number, value: number) => number>> = {
  SUM: (total, value) => total + value,
  AVERAGE: (total, value) => total + value,
  MIN: (total, value) => (value < total || Number.isNaN(total) ? value : total),
  MAX: (total, value) => (value > total || Number.isNaN(total) ? value : total),
};
