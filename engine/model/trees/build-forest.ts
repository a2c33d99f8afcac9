import { ModelInvalid } from '../onnx/errors.ts';
import { MODE, type NodeRows, type TreeEnsemble } from '../onnx/tree-ensemble.ts';
import { type Forest, NODE_WORDS } from './forest.ts';
import { collectLeaves } from './leaves.ts';
import { toSplit } from './split.ts';
import { groupByTree, type TreeRows } from './tree-rows.ts';

/** At most 2 GiB of nodes. */
const MAX_NODES = 2 ** 29 / NODE_WORDS;

/**
 * Builds a forest that can be walked without checks: every reference stays in its tree, there are
 * no cycles and every node is reachable.
 *
 * @throws ModelInvalid
 */
export function buildForest(ensemble: TreeEnsemble, features: number): Forest {
  const { nodes: rows, targets, aggregate } = ensemble;
  const trees = groupByTree(rows);
  const leafOfRow = new Int32Array(rows.modes.length).fill(-1);
  let leafCount = 0;
  let branchCount = 0;
  // A counting loop: `entries` would allocate a pair per row.
  for (let row = 0; row < rows.modes.length; row++) {
    if (rows.modes[row] === MODE.LEAF) {
      leafOfRow[row] = leafCount++;
    } else {
      branchCount++;
    }
  }
  if (branchCount > MAX_NODES) {
    throw new ModelInvalid(`${branchCount} branches: at most ${MAX_NODES} are allowed`);
  }
  const nodes = new Int32Array(branchCount * NODE_WORDS);
  const thresholds = new Float32Array(nodes.buffer);
  const state = {
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
  const roots = Int32Array.from(trees, (tree) => buildTree(state, tree));
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

/** Not a valid reference. */
const UNPLACED = -(2 ** 31);

interface BuildState {
  readonly rows: NodeRows;
  readonly features: number;
  readonly leafOfRow: Int32Array;
  readonly nodes: Int32Array;
  readonly thresholds: Float32Array;
  /** Reference of each row that has been placed. */
  readonly placed: Int32Array;
  /** Whether some descendants of a row have not been placed yet. */
  readonly open: Uint8Array;
  readonly isChild: Uint8Array;
  /** Index of the next free word. */
  next: number;
}

/**
 * Places a tree's branches depth-first, the first child next to its parent, and returns the reference
 * of its root. The explicit stack allows a chain of a million nodes. Each row is placed once, so the
 * walk terminates. A row met again is either shared, as in LightGBM's converter, or an ancestor, which
 * means a cycle.
 */
function buildTree(state: BuildState, tree: TreeRows): number {
  const { nodes, placed, open } = state;
  const root = findRootRow(state, tree);
  /** A row to place and the word that will refer to it; or ~row, a row to close. */
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
      throw new ModelInvalid(`${describeRow(state.rows, row)} is its own ancestor`);
    }
    let reference = placed[row] ?? UNPLACED;
    if (reference === UNPLACED) {
      reference = buildReference(state, row);
      placed[row] = reference;
      if (reference >= 0) {
        const { first, second } = buildBranch(state, tree, row, reference);
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
  requireAllReached(state.rows, tree, placed);
  return rootReference;
}

function buildReference(state: BuildState, row: number): number {
  const leaf = state.leafOfRow[row] ?? -1;
  if (leaf >= 0) {
    return ~leaf;
  }
  const reference = state.next;
  state.next += NODE_WORDS;
  return reference;
}

/** Writes the node's test; returns the rows of its children. */
function buildBranch(state: BuildState, tree: TreeRows, row: number, reference: number) {
  const { rows, features, nodes, thresholds } = state;
  const threshold = rows.thresholds[row] ?? Number.NaN;
  const feature = rows.featureIds[row] ?? -1;
  if (Number.isNaN(threshold)) {
    throw new ModelInvalid(`${describeRow(rows, row)} compares with NaN`);
  }
  if (feature < 0 || feature >= features) {
    const allowed = `allowed are 0 to ${features - 1}`;
    throw new ModelInvalid(`${describeRow(rows, row)} tests feature ${feature}: ${allowed}`);
  }
  const missingTakesTrue = (rows.missingTakesTrue[row] ?? 0) !== 0;
  const split = toSplit(rows.modes[row] ?? MODE.LEAF, threshold, missingTakesTrue);
  nodes[reference] = feature | split.flags;
  thresholds[reference + 1] = split.threshold;

  const whenTrue = findChildRow(rows, tree, row, rows.trueIds[row]);
  const whenFalse = findChildRow(rows, tree, row, rows.falseIds[row]);
  return split.exchanged
    ? { first: whenFalse, second: whenTrue }
    : { first: whenTrue, second: whenFalse };
}

function findChildRow(rows: NodeRows, tree: TreeRows, parent: number, nodeId = -1): number {
  const child = tree.rowOf(nodeId);
  if (child < 0) {
    throw new ModelInvalid(
      `${describeRow(rows, parent)} refers to node ${nodeId}, which its tree does not have`,
    );
  }
  return child;
}

/** The node that is not a child of any branch of the tree. */
function findRootRow({ rows, leafOfRow, isChild }: BuildState, tree: TreeRows): number {
  for (const row of tree.rows) {
    if ((leafOfRow[row] ?? -1) < 0) {
      isChild[findChildRow(rows, tree, row, rows.trueIds[row])] = 1;
      isChild[findChildRow(rows, tree, row, rows.falseIds[row])] = 1;
    }
  }
  const [root, second] = tree.rows.filter((row) => isChild[row] === 0);
  if (root === undefined) {
    throw new ModelInvalid(`tree ${tree.id} has no root: its branches form a cycle`);
  }
  if (second !== undefined) {
    throw new ModelInvalid(
      `${describeRow(rows, second)} is unreachable: no branch of its tree refers to it`,
    );
  }
  return root;
}

function requireAllReached(rows: NodeRows, tree: TreeRows, placed: Int32Array): void {
  for (const row of tree.rows) {
    if (placed[row] === UNPLACED) {
      throw new ModelInvalid(`${describeRow(rows, row)} is unreachable from its tree's root`);
    }
  }
}

function describeRow(rows: NodeRows, row: number): string {
  return `node ${rows.nodeIds[row]} of tree ${rows.treeIds[row]}`;
}
