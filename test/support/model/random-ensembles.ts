import fc from 'fast-check';
import type { AttributeValue, OperatorFile } from './onnx-file.ts';

/** Values of points and thresholds of branches, chosen so that many comparisons are ties. */
export const VALUES = [-2.5, -1, -0, 0, 0.1, 1, 3, 1e-45, 2 ** 24].map(Math.fround);
export const FEATURES = 3;
/**
 * Values of the last feature, which is a class. Set membership is tested only on this feature, because ONNX Runtime
 * accepts only sets of integers and truncates a value before it tests it (0.5 would be a member of {0}).
 */
export const CLASSES = [0, 1, 2, 3, 7, 31, 32, 40, 1000];
const CLASS_FEATURE = FEATURES - 1;

const MODES = ['LEQ', 'LT', 'GTE', 'GT', 'EQ', 'NEQ', 'MEMBER'] as const;
type Mode = (typeof MODES)[number];

type Tree =
  | { readonly kind: 'leaf'; readonly weights: readonly (number | null)[] }
  | {
      readonly kind: 'branch';
      readonly mode: Mode;
      readonly feature: number;
      readonly threshold: number;
      readonly set: readonly number[];
      readonly missingTakesTrue: boolean;
      readonly whenTrue: Tree;
      readonly whenFalse: Tree;
    };

interface Ensemble {
  readonly double: boolean;
  /** The operator set of TreeEnsembleRegressor. Operator set 3 introduced float64 tensors. */
  readonly opset: number;
  readonly aggregate: 'SUM' | 'AVERAGE' | 'MIN' | 'MAX';
  readonly base: readonly number[];
  readonly targets: number;
  readonly trees: readonly Tree[];
}

/** All weights have the same sign, so that sums do not cancel and a relative tolerance is meaningful. */
const weight = fc.integer({ min: 1, max: 4000 }).map((n) => Math.fround(n / 7));

/**
 * Draws a threshold that equals a value or, in float64, may differ from one by 1e-12.
 */
const threshold = (double: boolean) =>
  double
    ? fc
        .tuple(fc.constantFrom(...VALUES), fc.constantFrom(0, -1e-12, 1e-12))
        .map(([value, off]) => value + off)
    : fc.constantFrom(...VALUES);

function trees(modes: readonly Mode[], double: boolean, leaf: fc.Arbitrary<Tree>) {
  const { tree } = fc.letrec<{ tree: Tree; branch: Tree; leaf: Tree }>((tie) => ({
    leaf,
    tree: fc.oneof({ maxDepth: 5, withCrossShrink: true }, tie('leaf'), tie('branch')),
    branch: fc.record({
      kind: fc.constant('branch' as const),
      mode: fc.constantFrom(...modes),
      feature: fc.nat(FEATURES - 1),
      threshold: threshold(double),
      set: fc.uniqueArray(fc.constantFrom(...CLASSES), { minLength: 1, maxLength: 4 }),
      missingTakesTrue: fc.boolean(),
      whenTrue: tie('tree'),
      whenFalse: tie('tree'),
    }),
  }));
  return tree;
}

function ensembles(
  modes: readonly Mode[],
  leafOf: (targets: number) => fc.Arbitrary<Tree>,
): fc.Arbitrary<Ensemble> {
  return fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 5 })).chain(([double, targets]) =>
    fc.record({
      double: fc.constant(double),
      opset: fc.constantFrom(...(double ? [3, 4] : [1, 2, 3, 4])),
      targets: fc.constant(targets),
      aggregate: fc.constantFrom('SUM', 'AVERAGE', 'MIN', 'MAX'),
      base: fc.oneof(fc.constant([]), fc.array(weight, { minLength: targets, maxLength: targets })),
      trees: fc.array(trees(modes, double, leafOf(targets)), { minLength: 1, maxLength: 6 }),
    }),
  );
}

/** Random models of `TreeEnsembleRegressor`, operator sets 1 to 4. */
export const regressors: fc.Arbitrary<OperatorFile> = ensembles(
  MODES.filter((mode) => mode !== 'MEMBER'),
  (targets) =>
    fc.record({
      kind: fc.constant('leaf' as const),
      weights: fc.array(fc.option(weight, { freq: 4 }), { minLength: targets, maxLength: targets }),
    }),
).map(regressorFile);

/** Random models of `TreeEnsemble`, operator set 5, in which every leaf has one target. */
export const rooted: fc.Arbitrary<OperatorFile> = ensembles(MODES, (targets) =>
  fc.tuple(weight, fc.nat(targets - 1)).map(([value, target]) => ({
    kind: 'leaf' as const,
    weights: Array.from({ length: targets }, (_, t) => (t === target ? value : null)),
  })),
).map(rootedFile);

function regressorFile({ double, opset, aggregate, base, targets, trees }: Ensemble): OperatorFile {
  const n = {
    tree: [] as number[],
    id: [] as number[],
    mode: [] as string[],
    feature: [] as number[],
    threshold: [] as number[],
    whenTrue: [] as number[],
    whenFalse: [] as number[],
    missing: [] as number[],
  };
  const w = {
    tree: [] as number[],
    id: [] as number[],
    target: [] as number[],
    weight: [] as number[],
  };
  // If no leaf has a weight for a target, ONNX Runtime also leaves out the target's base value.
  const unweighed = base.length > 0 ? 1 : null;
  for (const [tree, root] of trees.entries()) {
    let next = 0;
    const add = (node: Tree): number => {
      const id = next++;
      const row = n.id.length;
      const branch = node.kind === 'branch' ? node : undefined;
      n.tree.push(tree);
      n.id.push(id);
      n.mode.push(branch ? `BRANCH_${branch.mode}` : 'LEAF');
      n.feature.push(branch?.feature ?? 0);
      n.threshold.push(branch?.threshold ?? 0);
      n.missing.push(branch?.missingTakesTrue ? 1 : 0);
      n.whenTrue.push(0);
      n.whenFalse.push(0);
      if (node.kind === 'branch') {
        n.whenTrue[row] = add(node.whenTrue);
        n.whenFalse[row] = add(node.whenFalse);
        return id;
      }
      for (const [target, weighed] of node.weights.entries()) {
        const value = weighed ?? unweighed;
        if (value !== null) {
          w.tree.push(tree);
          w.id.push(id);
          w.target.push(target);
          w.weight.push(value);
        }
      }
      return id;
    };
    add(root);
  }
  const list = (name: string, values: readonly number[]): Record<string, AttributeValue> =>
    double ? { [`${name}_as_tensor`]: { float64: values } } : { [name]: { floats: values } };
  return {
    type: 'TreeEnsembleRegressor',
    opset,
    double,
    features: FEATURES,
    targets,
    attributes: {
      n_targets: { int: targets },
      aggregate_function: { text: aggregate },
      ...(base.length > 0 ? list('base_values', base) : {}),
      nodes_treeids: { ints: n.tree },
      nodes_nodeids: { ints: n.id },
      nodes_modes: { texts: n.mode },
      nodes_featureids: { ints: n.feature },
      ...list('nodes_values', n.threshold),
      nodes_truenodeids: { ints: n.whenTrue },
      nodes_falsenodeids: { ints: n.whenFalse },
      nodes_missing_value_tracks_true: { ints: n.missing },
      target_treeids: { ints: w.tree },
      target_nodeids: { ints: w.id },
      target_ids: { ints: w.target },
      ...list('target_weights', w.weight),
    },
  };
}

function rootedFile({ double, aggregate, targets, trees }: Ensemble): OperatorFile {
  const n = {
    mode: [] as number[],
    feature: [] as number[],
    threshold: [] as number[],
    whenTrue: [] as number[],
    trueLeaf: [] as number[],
    whenFalse: [] as number[],
    falseLeaf: [] as number[],
    missing: [] as number[],
  };
  const sets = new Map<number, readonly number[]>();
  const leaf = { target: [] as number[], weight: [] as number[] };
  const addLeaf = (weights: readonly (number | null)[]): number => {
    const target = weights.findIndex((value) => value !== null);
    leaf.target.push(target);
    return leaf.weight.push(weights[target] ?? 0) - 1;
  };
  const addBranch = (node: Tree & { readonly kind: 'branch' }): number => {
    const row = n.mode.push(MODES.indexOf(node.mode)) - 1;
    n.feature.push(node.mode === 'MEMBER' ? CLASS_FEATURE : node.feature);
    n.threshold.push(node.mode === 'MEMBER' ? 0 : node.threshold);
    n.missing.push(node.missingTakesTrue ? 1 : 0);
    for (const list of [n.whenTrue, n.trueLeaf, n.whenFalse, n.falseLeaf]) {
      list.push(0);
    }
    if (node.mode === 'MEMBER') {
      sets.set(row, node.set);
    }
    const { whenTrue, whenFalse } = node;
    n.trueLeaf[row] = whenTrue.kind === 'leaf' ? 1 : 0;
    n.whenTrue[row] = whenTrue.kind === 'leaf' ? addLeaf(whenTrue.weights) : addBranch(whenTrue);
    n.falseLeaf[row] = whenFalse.kind === 'leaf' ? 1 : 0;
    n.whenFalse[row] =
      whenFalse.kind === 'leaf' ? addLeaf(whenFalse.weights) : addBranch(whenFalse);
    return row;
  };
  const question = { mode: 'LEQ', feature: 0, threshold: 0, set: [], missingTakesTrue: false };
  const roots = trees.map((tree) =>
    tree.kind === 'branch'
      ? addBranch(tree)
      : addBranch({ ...question, kind: 'branch', mode: 'LEQ', whenTrue: tree, whenFalse: tree }),
  );
  const inOrder = [...sets.entries()].sort(([a], [b]) => a - b).flatMap(([, set]) => [...set, NaN]);
  const tensor = (values: readonly number[]): AttributeValue =>
    double ? { float64: values } : { float32: values };
  return {
    type: 'TreeEnsemble',
    opset: 5,
    double,
    features: FEATURES,
    targets,
    attributes: {
      n_targets: { int: targets },
      aggregate_function: { int: ['AVERAGE', 'SUM', 'MIN', 'MAX'].indexOf(aggregate) },
      post_transform: { int: 0 },
      tree_roots: { ints: roots },
      nodes_modes: { uint8: n.mode },
      nodes_featureids: { ints: n.feature },
      nodes_splits: tensor(n.threshold),
      nodes_truenodeids: { ints: n.whenTrue },
      nodes_trueleafs: { ints: n.trueLeaf },
      nodes_falsenodeids: { ints: n.whenFalse },
      nodes_falseleafs: { ints: n.falseLeaf },
      nodes_missing_value_tracks_true: { ints: n.missing },
      leaf_targetids: { ints: leaf.target },
      leaf_weights: tensor(leaf.weight),
      ...(inOrder.length > 0 ? { membership_values: tensor(inOrder) } : {}),
    },
  };
}
