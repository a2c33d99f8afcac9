import { ModelInvalid } from '../onnx/errors.ts';
import type { TreeEnsembleRegressor } from '../onnx/tree-ensemble-regressor.ts';
import type { TreeRows } from './tree-rows.ts';

/** 512 MiB as float32: a function of 10,240 MB (Lambda's most) holds it and its work many times. */
const MAX_LEAF_VALUES = 2 ** 27;

/**
 * The leaves' values, leaves × targets; zero where the operator names none. Weights of one leaf and
 * target add up. Weights at a branch are ignored, as ONNX Runtime does.
 */
export function collectLeaves(
  { targets, leafWeights }: TreeEnsembleRegressor,
  trees: readonly TreeRows[],
  leafOfRow: Int32Array,
  leafCount: number,
): Float32Array {
  if (leafCount * targets > MAX_LEAF_VALUES) {
    throw new ModelInvalid(`${leafCount} leaves of ${targets} targets are too many to hold`);
  }
  const leaves = new Float32Array(leafCount * targets);
  const treeOfId = new Map(trees.map((tree) => [tree.id, tree]));
  for (const [i, weight] of leafWeights.weights.entries()) {
    const treeId = leafWeights.treeIds[i] ?? -1;
    const nodeId = leafWeights.nodeIds[i] ?? -1;
    const target = leafWeights.targetIds[i] ?? -1;
    const row = treeOfId.get(treeId)?.rowOfNode.get(nodeId);
    if (row === undefined) {
      throw new ModelInvalid(`a weight is for node ${nodeId} of tree ${treeId}: there is none`);
    }
    if (target < 0 || target >= targets) {
      throw new ModelInvalid(`a weight is for target ${target}, allowed are 0 to ${targets - 1}`);
    }
    if (!Number.isFinite(weight)) {
      throw new ModelInvalid(`node ${nodeId} of tree ${treeId} has the weight ${weight}`);
    }
    const leaf = leafOfRow[row] ?? -1;
    if (leaf >= 0) {
      const at = leaf * targets + target;
      leaves[at] = (leaves[at] ?? 0) + weight;
    }
  }
  return leaves;
}
