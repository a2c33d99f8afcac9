import { ModelInvalid } from '../onnx/errors.ts';
import type { NodeRows } from '../onnx/tree-ensemble.ts';

/** One tree: the rows of its nodes in the operator's lists. */
export interface TreeRows {
  readonly id: number;
  readonly rows: readonly number[];
  /** The row of a node by its id; -1 if the tree does not have it. */
  readonly rowOf: (nodeId: number) => number;
}

/** The ensemble's trees in the order of their first node; ids need not be dense or sorted. */
export function groupByTree({ treeIds, nodeIds }: NodeRows): TreeRows[] {
  const trees = new Map<number, number[]>();
  let rows: number[] = [];
  for (let row = 0; row < treeIds.length; row++) {
    const treeId = treeIds[row] ?? -1;
    if (row === 0 || treeId !== treeIds[row - 1]) {
      rows = trees.get(treeId) ?? [];
      trees.set(treeId, rows);
    }
    rows.push(row);
  }
  return Array.from(trees, ([id, ofTree]) => ({
    id,
    rows: ofTree,
    rowOf: lookUp(id, ofTree, nodeIds),
  }));
}

function lookUp(treeId: number, rows: readonly number[], nodeIds: Int32Array): TreeRows['rowOf'] {
  const [first = 0] = rows;
  const count = rows.length;
  // The usual form: the nodes of a tree are contiguous and numbered from 0.
  if (rows.every((row, i) => row === first + i && nodeIds[row] === i)) {
    return (nodeId) => (nodeId >= 0 && nodeId < count ? first + nodeId : -1);
  }
  const rowOfNode = new Map<number, number>();
  for (const row of rows) {
    const nodeId = nodeIds[row] ?? -1;
    if (rowOfNode.has(nodeId)) {
      throw new ModelInvalid(`tree ${treeId} has two nodes ${nodeId}`);
    }
    rowOfNode.set(nodeId, row);
  }
  return (nodeId) => rowOfNode.get(nodeId) ?? -1;
}
