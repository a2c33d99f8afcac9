import { ModelInvalid } from '../onnx/errors.ts';
import type { NodeRows } from '../onnx/tree-ensemble.ts';

export interface TreeRows {
  readonly id: number;
  readonly rows: Int32Array;
  /** The row of a node by its id; -1 if the tree does not have it. */
  readonly rowOf: (nodeId: number) => number;
}

/** The ensemble's trees in the order of their first node; ids need not be dense or sorted. */
export function groupByTree({ treeIds, nodeIds }: NodeRows): TreeRows[] {
  const sizes = new Map<number, number>();
  forEachRun(treeIds, (id, from, to) => sizes.set(id, (sizes.get(id) ?? 0) + to - from));
  const grouped = new Int32Array(treeIds.length);
  /** Where the next row of each tree goes in `grouped`. */
  const ends = new Map<number, number>();
  let start = 0;
  for (const [id, size] of sizes) {
    ends.set(id, start);
    start += size;
  }
  forEachRun(treeIds, (id, from, to) => {
    let end = ends.get(id) ?? 0;
    for (let row = from; row < to; row++) grouped[end++] = row;
    ends.set(id, end);
  });
  return Array.from(sizes, ([id, size]) => {
    const end = ends.get(id) ?? 0;
    const rows = grouped.subarray(end - size, end);
    return { id, rows, rowOf: createRowLookUp(id, rows, nodeIds) };
  });
}

/** A tree's rows form one run, unless they are mixed with the rows of other trees. */
function forEachRun(
  treeIds: Int32Array,
  use: (id: number, from: number, to: number) => void,
): void {
  for (let from = 0, to = 0; from < treeIds.length; from = to) {
    while (to < treeIds.length && treeIds[to] === treeIds[from]) to++;
    use(treeIds[from] ?? -1, from, to);
  }
}

function createRowLookUp(treeId: number, rows: Int32Array, nodeIds: Int32Array): TreeRows['rowOf'] {
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
      throw new ModelInvalid(`tree ${treeId} has two nodes with the ID ${nodeId}`);
    }
    rowOfNode.set(nodeId, row);
  }
  return (nodeId) => rowOfNode.get(nodeId) ?? -1;
}
