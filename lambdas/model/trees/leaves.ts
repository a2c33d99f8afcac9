import { ModelInvalid } from '../onnx/errors.ts';
import type { TreeEnsemble } from '../onnx/tree-ensemble.ts';
import { JOIN, START } from './aggregates.ts';
import type { TreeRows } from './tree-rows.ts';

/** 512 MiB as float32: a function of 10,240 MB (Lambda's most) holds it and its work many times. */
const MAX_LEAF_VALUES = 2 ** 27;

/**
 * The leaves' values, leaves × targets. Where the operator names none: zero, or NaN for MIN and MAX,
 * which then pass the leaf over (but not when there is one target, as in ONNX Runtime). Several weights of one leaf and target become one as those of several
 * trees do. Weights at a branch are ignored, as ONNX Runtime does.
 */
export function collectLeaves(
  { targets, aggregate, leafWeights }: TreeEnsemble,
  trees: readonly TreeRows[],
  leafOfRow: Int32Array,
  leafCount: number,
): Float32Array {
  if (leafCount * targets > MAX_LEAF_VALUES) {
    throw new ModelInvalid(`${leafCount} leaves of ${targets} targets are too many to hold`);
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
