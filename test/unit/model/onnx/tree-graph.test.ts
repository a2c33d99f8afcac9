import { describe, expect, it } from 'vitest';
import { exp } from '../../../../engine/model/onnx/steps.ts';
import { readTreeGraph } from '../../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';
import { onnxFile, type StepFile } from '../../../support/model/onnx-file.ts';
import { fixture, predictAll, predictionsIn } from '../../../support/model/predictions.ts';

/**
 * A tree with two leaves: [1, 10] if the first feature is at most 0, and [2, 20] otherwise or if it is missing.
 */
const TREE = {
  n_targets: { int: 2 },
  nodes_treeids: { ints: [0, 0, 0] },
  nodes_nodeids: { ints: [0, 1, 2] },
  nodes_modes: { texts: ['BRANCH_LEQ', 'LEAF', 'LEAF'] },
  nodes_featureids: { ints: [0, 0, 0] },
  nodes_values: { floats: [0, 0, 0] },
  nodes_truenodeids: { ints: [1, 0, 0] },
  nodes_falsenodeids: { ints: [2, 0, 0] },
  target_treeids: { ints: [0, 0, 0, 0] },
  target_nodeids: { ints: [1, 1, 2, 2] },
  target_ids: { ints: [0, 1, 0, 1] },
  target_weights: { floats: [1, 10, 2, 20] },
};
const ENSEMBLE: StepFile = {
  type: 'TreeEnsembleRegressor',
  domain: 'ai.onnx.ml',
  attributes: TREE,
};
const FEATURES = 2;

function graphWith(before: readonly StepFile[], after: readonly StepFile[]): Uint8Array {
  return onnxFile({
    type: 'TreeEnsembleRegressor',
    opset: 3,
    double: false,
    features: FEATURES,
    targets: 2,
    attributes: TREE,
    before,
    after,
  });
}

function regressorOf(bytes: Uint8Array, features = FEATURES, threads = 1) {
  const graph = readTreeGraph(bytes);
  return createTreeRegressor(buildForest(graph.ensemble, features), threads, graph);
}

const row = (type: string, values: readonly number[], dims?: readonly number[]): StepFile => ({
  type,
  constants: [{ values, ...(dims ? { dims } : {}) }],
});
const scaler = (offset: readonly number[], scale: readonly number[]): StepFile => ({
  type: 'Scaler',
  domain: 'ai.onnx.ml',
  attributes: { offset: { floats: offset }, scale: { floats: scale } },
});

describe('steps around a tree ensemble', () => {
  it('change each target by its own number', async () => {
    const bytes = graphWith([], [row('Mul', [0.5, 2]), row('Add', [1])]);
    expect(await predictAll(regressorOf(bytes), [[0, 0]])).toEqual([[1.5, 21]]);
  });

  it("change its features, but not the caller's copy", async () => {
    const regressor = regressorOf(graphWith([scaler([3, 0], [1, 1])], []));
    const features = Float32Array.of(2, 0, 4, 0);
    const targets = new Float32Array(4);
    await regressor.predict(features, 2, targets);
    expect([...targets]).toEqual([1, 10, 2, 20]);
    expect([...features]).toEqual([2, 0, 4, 0]);
  });

  it('keep a missing feature missing, even if features are clipped', async () => {
    const clip: StepFile = { type: 'Clip', constants: [{ values: [-1], dims: [] }] };
    const regressor = regressorOf(graphWith([scaler([0], [1]), clip], []));
    expect(await predictAll(regressor, [[null, 0]])).toEqual([[2, 20]]);
  });

  it('give a point the same targets among other points and on several threads', async () => {
    const bytes = fixture('models/lightgbm-logarithm.onnx');
    const { features, expected } = predictionsIn('models/lightgbm-logarithm.json');
    const alone = await Promise.all(
      features.map(async (point) => (await predictAll(regressorOf(bytes, 4), [point]))[0]),
    );
    const many = Array.from({ length: 9_000 }, (_, i) => features[i % expected.length] ?? []);
    const found = await predictAll(regressorOf(bytes, 4, 2), many);
    expect(found).toEqual(many.map((_, i) => alone[i % expected.length]));
  });

  it('are invalid if they have more numbers than there are features', () => {
    const bytes = graphWith([scaler([0, 0, 0], [1, 1, 1])], []);
    expect(() => regressorOf(bytes)).toThrow('3 numbers for 2 columns');
  });
});

describe('a graph with other operators', () => {
  const toDouble: StepFile = { type: 'Cast', attributes: { to: { int: 11 } } };
  it.each<[string, readonly StepFile[], readonly StepFile[], string]>([
    ['an operator that is not a step', [], [row('Pow', [2])], 'Pow'],
    ['an operator that is not a step, on features', [row('Pow', [2])], [], 'Pow'],
    ['a second ensemble', [], [ENSEMBLE], 'ai.onnx.ml.TreeEnsembleRegressor'],
    ['a number divided by a target', [], [{ ...row('Div', [1]), at: 1 }], 'Div'],
    ['a Cast to integers', [], [{ type: 'Cast', attributes: { to: { int: 7 } } }], 'Cast'],
    ['more targets than the ensemble', [], [row('Mul', [1, 2, 3])], 'graph'],
    ['a number for each point', [], [row('Mul', [1, 2], [2, 1])], 'Mul'],
    ['a missing constant', [], [{ type: 'Mul' }], 'Mul'],
    ['a Scaler without numbers', [scaler([], [])], [], 'ai.onnx.ml.Scaler'],
  ])('is left to ONNX Runtime, naming the operator: %s', (_, before, after, operator) => {
    const read = () => readTreeGraph(graphWith(before, after));
    expect(read).toThrow(expect.objectContaining({ name: 'GraphNotSupported', operator }));
  });

  it('is left to ONNX Runtime if its features are computed in float64', () => {
    const add: StepFile = { type: 'Add', constants: [{ values: [1], double: true }] };
    const read = () => readTreeGraph(graphWith([toDouble, add], []));
    expect(read).toThrow(expect.objectContaining({ operator: 'ai.onnx.ml.TreeEnsembleRegressor' }));
  });
});

describe('the exponential', () => {
  it('is accurate to 1e-11', () => {
    let most = 0;
    for (let x = -700; x < 700; x += 0.0137) {
      most = Math.max(most, Math.abs(exp(x) / Math.exp(x) - 1));
    }
    expect(most).toBeLessThan(1e-11);
  });

  it.each([
    [0, 1],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [710, Number.POSITIVE_INFINITY],
    [Number.NaN, Number.NaN],
  ])('of %d is %d', (x, expected) => {
    expect(exp(x)).toBe(expected);
  });
});
