import { ModelInvalid } from '../onnx/errors.ts';
import type { Aggregate, TreeEnsemble } from '../onnx/tree-ensemble.ts';
import type { TreeRows } from './tree-rows.ts';

/** 512 MiB as float32, far below the 10,240 MB that a Lambda function can have. */
const MAX_LEAF_VALUES = 2 ** 27;

/**
 * The leaves' values, leaves × targets. A value that the operator does not define is zero, or NaN for
 * MIN and MAX, which then skip the leaf (except with a single target, as in ONNX Runtime). Several
 * weights for the same leaf and target are aggregated like those of several trees. Weights at a branch
 * are ignored, as in ONNX Runtime.
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
  const join = JOIN[aggregate];
  leaves.fill(START[aggregate]);
  const treeOfId = new Map(trees.map((tree) => [tree.id, tree]));
  let tree: TreeRows | undefined;
  for (let i = 0; i < leafWeights.weights.length; i++) {
    const weight = leafWeights.weights[i] ?? Number.NaN;
    const treeId = leafWeights.treeIds[i] ?? -1;
    const nodeId = leafWeights.nodeIds[i] ?? -1;
    const target = leafWeights.targetIds[i] ?? -1;
    if (tree?.id !== treeId) tree = treeOfId.get(treeId);
    const row = tree?.rowOf(nodeId) ?? -1;
    if (row < 0) {
      throw new ModelInvalid(
        `a weight is for node ${nodeId} of tree ${treeId}, which does not exist`,
      );
    }
    if (target < 0 || target >= targets) {
      throw new ModelInvalid(`a weight is for target ${target}: allowed are 0 to ${targets - 1}`);
    }
    if (!Number.isFinite(weight)) {
      throw new ModelInvalid(`node ${nodeId} of tree ${treeId} has the weight ${weight}`);
    }
    const leaf = leafOfRow[row] ?? -1;
    if (leaf >= 0) {
      const at = leaf * targets + target;
      leaves[at] = join(leaves[at] ?? 0, weight);
    }
  }
  if (targets === 1) {
    leaves.forEach((value, leaf) => {
      leaves[leaf] = Number.isNaN(value) ? 0 : value;
    });
  }
  return leaves;
}

/** The initial value: zero for sums, NaN (no value) for MIN and MAX. */
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
