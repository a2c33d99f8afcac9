import { MODE, type NodeRows } from './tree-ensemble.ts';

interface Row {
  readonly tree: number;
  readonly id: number;
  readonly mode: number;
  readonly feature: number;
  readonly threshold: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly missing: number;
}

/** Rows as typed arrays of a fixed capacity, because a forest has millions of rows. */
export function createNodeRowLists(capacity: number) {
  const modes = new Uint8Array(capacity);
  const ints = () => new Int32Array(capacity);
  const [treeIds, nodeIds, featureIds] = [ints(), ints(), ints()];
  const [trueIds, falseIds, missingTakesTrue] = [ints(), ints(), ints()];
  const thresholds = new Float64Array(capacity);
  let count = 0;
  return {
    addLeaf(tree: number, id: number): void {
      const at = count++;
      modes[at] = MODE.LEAF;
      treeIds[at] = tree;
      nodeIds[at] = id;
    },
    add(row: Row): void {
      const at = count++;
      modes[at] = row.mode;
      treeIds[at] = row.tree;
      nodeIds[at] = row.id;
      featureIds[at] = row.feature;
      thresholds[at] = row.threshold;
      trueIds[at] = row.whenTrue;
      falseIds[at] = row.whenFalse;
      missingTakesTrue[at] = row.missing;
    },
    rows(): NodeRows {
      return {
        treeIds: treeIds.subarray(0, count),
        nodeIds: nodeIds.subarray(0, count),
        modes: modes.subarray(0, count),
        featureIds: featureIds.subarray(0, count),
        thresholds: thresholds.subarray(0, count),
        trueIds: trueIds.subarray(0, count),
        falseIds: falseIds.subarray(0, count),
        missingTakesTrue: missingTakesTrue.subarray(0, count),
      };
    },
  };
}
