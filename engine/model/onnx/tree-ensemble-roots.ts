import { GraphNotSupported, ModelInvalid } from './errors.ts';
import { formatOperatorName, type Operator } from './graph.ts';
import { createNodeRowLists } from './node-row-lists.ts';
import {
  type Aggregate,
  type Attributes,
  MODE,
  readIntAttribute,
  readTargetCount,
  readTensorAttribute,
  requireEqualLengths,
  type TreeEnsemble,
} from './tree-ensemble.ts';

/** Indexed by the value of `aggregate_function`. */
const AGGREGATES: readonly Aggregate[] = ['AVERAGE', 'SUM', 'MIN', 'MAX'];
const MEMBER = 6;
/** The value of `post_transform` for no transformation. */
const NONE = 0;

interface Branches {
  readonly features: Int32Array;
  readonly modes: Float64Array;
  readonly splits: Float64Array;
  readonly trueIds: Int32Array;
  readonly falseIds: Int32Array;
  /** Non-zero if the child is a leaf. */
  readonly trueLeafs: Int32Array;
  readonly falseLeafs: Int32Array;
}

/**
 * TreeEnsemble (`ai.onnx.ml` 5): the branches and leaves of all trees are in two tables, and roots are indexes of
 * branches. Converts them to rows by tree: branch i gets the id i, and leaf j gets j plus the number of branches. A
 * set membership test becomes a chain of equality tests, one per value; all but the first get new ids.
 */
export function readRowsFromRoots(operator: Operator): TreeEnsemble {
  const { attributes } = operator;
  if ((attributes.get('post_transform')?.int ?? NONE) !== NONE) {
    throw new GraphNotSupported(
      formatOperatorName(operator),
      'a post_transform; only NONE is supported',
    );
  }
  const code = attributes.get('aggregate_function')?.int ?? AGGREGATES.indexOf('SUM');
  const aggregate = AGGREGATES[code];
  if (aggregate === undefined) {
    throw new ModelInvalid(`aggregate_function is ${code}: allowed are 0 to 3`);
  }
  const branches = readBranches(attributes);
  const leafTargets = readIntAttribute(attributes, 'leaf_targetids');
  const leafWeights = readTensorAttribute(attributes, 'leaf_weights');
  requireEqualLengths('leaf', { leaf_targetids: leafTargets, leaf_weights: leafWeights });
  return {
    targets: readTargetCount(operator),
    aggregate,
    baseValues: new Float64Array(0),
    ...listNodeRows(attributes, branches, leafTargets, leafWeights),
  };
}

function readBranches(attributes: Attributes): Branches {
  const branches = {
    features: readIntAttribute(attributes, 'nodes_featureids'),
    modes: readTensorAttribute(attributes, 'nodes_modes'),
    splits: readTensorAttribute(attributes, 'nodes_splits'),
    trueIds: readIntAttribute(attributes, 'nodes_truenodeids'),
    falseIds: readIntAttribute(attributes, 'nodes_falsenodeids'),
    trueLeafs: readIntAttribute(attributes, 'nodes_trueleafs'),
    falseLeafs: readIntAttribute(attributes, 'nodes_falseleafs'),
  };
  requireEqualLengths('node', branches);
  const node = branches.modes.findIndex(
    (mode) => !Number.isInteger(mode) || mode < 0 || mode > MEMBER,
  );
  if (node >= 0) {
    const mode = branches.modes[node];
    throw new ModelInvalid(`node ${node} has the mode ${mode}: allowed are 0 to ${MEMBER}`);
  }
  return branches;
}

/** Lists once each branch and leaf that is reachable from a root. Trees may not share nodes. */
function listNodeRows(
  attributes: Attributes,
  branches: Branches,
  leafTargets: Int32Array,
  leafWeights: Float64Array,
): Pick<TreeEnsemble, 'nodes' | 'leafWeights'> {
  const roots = readIntAttribute(attributes, 'tree_roots');
  const tracks = readIntAttribute(attributes, 'nodes_missing_value_tracks_true');
  if (tracks.length !== 0) {
    requireEqualLengths('node', { nodes_featureids: branches.features, tracks });
  }
  const sets = readMemberSets(attributes, branches);
  const count = branches.features.length;
  const leafCount = leafTargets.length;
  /** The tree of each id; -1 before it is reached. */
  const treeOf = new Int32Array(count + leafCount).fill(-1);
  const setValues = [...sets.values()].reduce((sum, set) => sum + set.length, 0);
  const nodes = createNodeRowLists(count + leafCount + setValues);
  const reached = new Int32Array(leafCount);
  let leaves = 0;
  let nextId = count + leafCount;

  const listBranch = (tree: number, id: number, whenTrue: number, otherwise: number): void => {
    const feature = branches.features[id] ?? -1;
    const missing = tracks[id] ?? 0;
    const set = sets.get(id);
    // Literals, because object spread is slower.
    if (!set) {
      const mode = branches.modes[id] ?? 0;
      const threshold = branches.splits[id] ?? 0;
      nodes.add({ tree, id, mode, feature, threshold, whenTrue, whenFalse: otherwise, missing });
      return;
    }
    for (const [k, threshold] of set.entries()) {
      const mode = MODE.BRANCH_EQ;
      const whenFalse = k === set.length - 1 ? otherwise : nextId + k;
      const chained = k === 0 ? id : nextId + k - 1;
      nodes.add({ tree, id: chained, mode, feature, threshold, whenTrue, whenFalse, missing });
    }
    nextId += set.length - 1;
  };

  for (const [tree, root] of roots.entries()) {
    const open = [rootId(branches, root, count)];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const owner = treeOf[id];
      if (owner !== -1 && owner !== tree) {
        throw new ModelInvalid(`trees ${owner} and ${tree} share a node`);
      }
      if (owner === tree) {
        continue;
      }
      treeOf[id] = tree;
      if (id >= count) {
        nodes.addLeaf(tree, id);
        reached[leaves++] = id - count;
        continue;
      }
      const whenTrue = childId(branches.trueIds, branches.trueLeafs, id, count, leafCount);
      const otherwise = childId(branches.falseIds, branches.falseLeafs, id, count, leafCount);
      listBranch(tree, id, whenTrue, otherwise);
      open.push(whenTrue, otherwise);
    }
  }
  const rows = nodes.rows();
  if (rows.modes.length === 0) {
    throw new ModelInvalid('the ensemble has no nodes');
  }
  const listed = reached.subarray(0, leaves);
  return {
    nodes: rows,
    leafWeights: {
      treeIds: listed.map((leaf) => treeOf[count + leaf] ?? -1),
      nodeIds: listed.map((leaf) => count + leaf),
      targetIds: listed.map((leaf) => leafTargets[leaf] ?? -1),
      weights: new Float64Array(leaves).map((_, i) => leafWeights[listed[i] ?? -1] ?? Number.NaN),
    },
  };
}

/** A tree with a single leaf is stored as a branch whose two children are that leaf. */
function rootId({ features }: Branches, root: number, count: number): number {
  if (root < 0 || root >= count) {
    throw new ModelInvalid(`a tree's root is node ${root}, but there are ${features.length} nodes`);
  }
  return root;
}

function childId(
  ids: Int32Array,
  leafs: Int32Array,
  branch: number,
  count: number,
  leafCount: number,
): number {
  const index = ids[branch] ?? -1;
  const isLeaf = (leafs[branch] ?? 0) !== 0;
  const most = isLeaf ? leafCount : count;
  if (index < 0 || index >= most) {
    const [kind, kinds] = isLeaf ? ['leaf', 'leaves'] : ['node', 'nodes'];
    throw new ModelInvalid(
      `node ${branch} refers to ${kind} ${index}, but there are ${most} ${kinds}`,
    );
  }
  return isLeaf ? count + index : index;
}

/** `membership_values` has the sets of the MEMBER branches in order, each terminated by NaN. */
function readMemberSets(
  attributes: Attributes,
  { modes }: Branches,
): ReadonlyMap<number, number[]> {
  const values = readTensorAttribute(attributes, 'membership_values');
  const sets = new Map<number, number[]>();
  let at = 0;
  for (const [branch, mode] of modes.entries()) {
    if (mode === MEMBER) {
      const set: number[] = [];
      while (at < values.length && !Number.isNaN(values[at])) {
        set.push(values[at++] ?? 0);
      }
      at++;
      if (set.length === 0) {
        throw new ModelInvalid(`node ${branch} tests membership in an empty set`);
      }
      sets.set(branch, set);
    }
  }
  if (at < values.length) {
    throw new ModelInvalid(`membership_values has more sets than the ${sets.size} MEMBER nodes`);
  }
  return sets;
}
