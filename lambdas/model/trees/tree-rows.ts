import { ModelInvalid } from '../onnx/errors.ts';
import type { NodeRows } from '../onnx/tree-ensemble.ts';

/** One tree: where each of its nodes stands in the operator's lists. */
export interface TreeRows {
  readonly id: number;
  readonly rowOfNode: ReadonlyMap<number, number>;
}

/** The ensemble's trees in the order of their first node; ids need not be dense or sorted. */
export function groupByTree({ treeIds, nodeIds }: NodeRows): TreeRows[] {
  const trees = new Map<number, Map<number, number>>();
  for (const [row, treeId] of treeIds.entries()) {
    let tree = trees.get(treeId);
    if (!tree) {
      tree = new Map();
      trees.set(treeId, tree);
    }
    const nodeId = nodeIds[row] ?? -1;
    if (tree.has(nodeId)) {
      throw new ModelInvalid(`tree ${treeId} has two nodes ${nodeId}`);
    }
    tree.set(nodeId, row);
  }
  return Array.from(trees, ([id, rowOfNode]) => ({ id, rowOfNode }));
}
