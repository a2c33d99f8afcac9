import { ModelInvalid } from '../onnx/errors.ts';
import type { NodeRows, TreeEnsemble } from '../onnx/tree-ensemble.ts';
import { type Forest, NODE_WORDS } from './forest.ts';
import { collectLeaves } from './leaves.ts';
import { splitOf } from './split.ts';
import { groupByTree, type TreeRows } from './tree-rows.ts';

/** Positions below 2^29 words, so that a child reference never meets a flag: 8 GiB of nodes. */
const MAX_NODES = 2 ** 29 / NODE_WORDS;

/**
 * Turns the operator's rows into a forest that can be walked without any check: every reference
 * within its tree, no way back up, every node reached.
 *
 * @param features number of features a point will have
 * Throws `ModelInvalid` naming tree and node.
 */
export function plantForest(ensemble: TreeEnsemble, features: number): Forest {
  const { nodes: rows, targets, aggregate } = ensemble;
  const trees = groupByTree(rows);
  const leafOfRow = new Int32Array(rows.modes.length).fill(-1);
  let leafCount = 0;
  let branchCount = 0;
  // Loops over all rows count: `entries` makes a pair of each, of which a forest has millions.
  for (let row = 0; row < rows.modes.length; row++) {
    if (rows.modes[row] === 'LEAF') {
      leafOfRow[row] = leafCount++;
    } else {
      branchCount++;
    }
  }
  if (branchCount > MAX_NODES) {
    throw new ModelInvalid(`${branchCount} branches, allowed are ${MAX_NODES}`);
  }
  const nodes = new Int32Array(branchCount * NODE_WORDS);
  const thresholds = new Float32Array(nodes.buffer);
  const planting = {
    rows,
    features,
    leafOfRow,
    nodes,
    thresholds,
    placed: new Int32Array(rows.modes.length).fill(UNPLACED),
    open: new Uint8Array(rows.modes.length),
    isChild: new Uint8Array(rows.modes.length),
    next: 0,
  };
  const roots = Int32Array.from(trees, (tree) => plantTree(planting, tree));
  return {
    features,
    targets,
    aggregate,
    baseValues: ensemble.baseValues.length > 0 ? ensemble.baseValues : new Float64Array(targets),
    roots,
    nodes,
    thresholds,
    leaves: collectLeaves(ensemble, trees, leafOfRow, leafCount),
  };
}

/** No leaf is ever so far. */
const UNPLACED = -(2 ** 31);

interface Planting {
  readonly rows: NodeRows;
  readonly features: number;
  readonly leafOfRow: Int32Array;
  readonly nodes: Int32Array;
  readonly thresholds: Float32Array;
  /** Of each row, the reference that it was laid down under. */
  readonly placed: Int32Array;
  /** Of each row, whether its descendants are not all laid down yet. */
  readonly open: Uint8Array;
  /** Of each row, whether a branch leads to it. */
  readonly isChild: Uint8Array;
  /** The next free word. */
  next: number;
}

/**
 * Lays a tree's branches down depth-first, first child next to its parent, and gives the reference
 * of its root. With an explicit stack: a chain of a million nodes is no reason to overflow ours.
 * Each row is laid down once, so the walk ends; a row met again is either shared, which LightGBM's
 * converter does, or an ancestor, which is a cycle.
 */
function plantTree(planting: Planting, tree: TreeRows): number {
  const { nodes, placed, open } = planting;
  const root = rootOf(planting, tree);
  /** A row to lay down and the word that shall refer to it; or, as ~row, a row to close. */
  const rowStack = [root];
  const wordStack = [-1];
  let rootReference = 0;
  while (rowStack.length > 0) {
    const row = rowStack.pop() ?? 0;
    const word = wordStack.pop() ?? -1;
    if (row < 0) {
      open[~row] = 0;
      continue;
    }
    if (open[row] === 1) {
      throw new ModelInvalid(`${describe(planting.rows, row)} is its own ancestor`);
    }
    let reference = placed[row] ?? UNPLACED;
    if (reference === UNPLACED) {
      reference = referenceOf(planting, row);
      placed[row] = reference;
      if (reference >= 0) {
        const { first, second } = plantBranch(planting, tree, row, reference);
        open[row] = 1;
        rowStack.push(~row, second, first);
        wordStack.push(-1, reference + 3, reference + 2);
      }
    }
    if (word < 0) {
      rootReference = reference;
    } else {
      nodes[word] = reference;
    }
  }
  requireAllReached(planting.rows, tree, placed);
  return rootReference;
}

function referenceOf(planting: Planting, row: number): number {
  const leaf = planting.leafOfRow[row] ?? -1;
  if (leaf >= 0) {
    return ~leaf;
  }
  const reference = planting.next;
  planting.next += NODE_WORDS;
  return reference;
}

/** Writes the node's question; gives the rows of its children. */
function plantBranch(planting: Planting, tree: TreeRows, row: number, reference: number) {
  const { rows, features, nodes, thresholds } = planting;
  const mode = rows.modes[row] ?? '';
  const threshold = rows.thresholds[row] ?? Number.NaN;
  const feature = rows.featureIds[row] ?? -1;
  if (Number.isNaN(threshold)) {
    throw new ModelInvalid(`${describe(rows, row)} compares with NaN`);
  }
  if (feature < 0 || feature >= features) {
    const allowed = `the model is given features 0 to ${features - 1}`;
    throw new ModelInvalid(`${describe(rows, row)} asks for feature ${feature}; ${allowed}`);
  }
  const split = splitOf(mode, threshold, (rows.missingTakesTrue[row] ?? 0) !== 0);
  if (!split) {
    throw new ModelInvalid(
      `${describe(rows, row)} has the mode "${mode}", which ONNX does not have`,
    );
  }
  nodes[reference] = feature | split.flags;
  thresholds[reference + 1] = split.threshold;

  const whenTrue = childRow(rows, tree, row, rows.trueIds[row]);
  const whenFalse = childRow(rows, tree, row, rows.falseIds[row]);
  return split.exchanged
    ? { first: whenFalse, second: whenTrue }
    : { first: whenTrue, second: whenFalse };
}

function childRow(rows: NodeRows, tree: TreeRows, parent: number, nodeId = -1): number {
  const child = tree.rowOf(nodeId);
  if (child < 0) {
    throw new ModelInvalid(
      `${describe(rows, parent)} branches to node ${nodeId}, which its tree does not have`,
    );
  }
  return child;
}

/** The one node that no branch of the tree leads to. */
function rootOf({ rows, leafOfRow, isChild }: Planting, tree: TreeRows): number {
  for (const row of tree.rows) {
    if ((leafOfRow[row] ?? -1) < 0) {
      isChild[childRow(rows, tree, row, rows.trueIds[row])] = 1;
      isChild[childRow(rows, tree, row, rows.falseIds[row])] = 1;
    }
  }
  const [root, second] = tree.rows.filter((row) => isChild[row] === 0);
  if (root === undefined) {
    throw new ModelInvalid(`tree ${tree.id} has no root: its branches form a cycle`);
  }
  if (second !== undefined) {
    throw new ModelInvalid(
      `${describe(rows, second)} cannot be reached: no branch of its tree leads to it`,
    );
  }
  return root;
}

function requireAllReached(rows: NodeRows, tree: TreeRows, placed: Int32Array): void {
  for (const row of tree.rows) {
    if (placed[row] === UNPLACED) {
      throw new ModelInvalid(`${describe(rows, row)} cannot be reached from its tree's root`);
    }
  }
}

function describe(rows: NodeRows, row: number): string {
  return `node ${rows.nodeIds[row]} of tree ${rows.treeIds[row]}`;
}
