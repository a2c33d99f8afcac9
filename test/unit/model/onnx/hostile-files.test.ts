import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { readTensor } from '../../../../engine/model/onnx/tensor.ts';
import { readTreeGraph } from '../../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import { evaluateForest } from '../../../../engine/model/trees/reference.ts';
import {
  type AttributeValue,
  type OperatorFile,
  onnxFile,
} from '../../../support/model/onnx-file.ts';
import { FEATURES, regressors, rooted } from '../../../support/model/random-ensembles.ts';
import { EXACT, withSteps } from '../../../support/model/random-steps.ts';

type Attributes = Readonly<Record<string, AttributeValue>>;

/** Two trees with one branch and two leaves each, in the tables of operator set 5. */
const TWO_TREES: Attributes = {
  n_targets: { int: 1 },
  aggregate_function: { int: 1 },
  post_transform: { int: 0 },
  tree_roots: { ints: [0, 1] },
  nodes_modes: { uint8: [0, 0] },
  nodes_featureids: { ints: [0, 0] },
  nodes_splits: { float32: [1, 2] },
  nodes_truenodeids: { ints: [0, 2] },
  nodes_trueleafs: { ints: [1, 1] },
  nodes_falsenodeids: { ints: [1, 3] },
  nodes_falseleafs: { ints: [1, 1] },
  leaf_targetids: { ints: [0, 0, 0, 0] },
  leaf_weights: { float32: [1, 2, 10, 20] },
};

const rootedFile = (changes: Attributes): Uint8Array =>
  onnxFile({
    type: 'TreeEnsemble',
    opset: 5,
    double: false,
    features: FEATURES,
    targets: 1,
    attributes: { ...TWO_TREES, ...changes },
  });

const regressorFile = (changes: Attributes): Uint8Array =>
  onnxFile({
    type: 'TreeEnsembleRegressor',
    opset: 3,
    double: false,
    features: FEATURES,
    targets: 1,
    attributes: {
      nodes_treeids: { ints: [0] },
      nodes_nodeids: { ints: [0] },
      nodes_modes: { texts: ['LEAF'] },
      nodes_featureids: { ints: [0] },
      nodes_values: { floats: [0] },
      nodes_truenodeids: { ints: [0] },
      nodes_falsenodeids: { ints: [0] },
      target_treeids: { ints: [0] },
      target_nodeids: { ints: [0] },
      target_ids: { ints: [0] },
      target_weights: { floats: [4] },
      ...changes,
    },
  });

function predict(bytes: Uint8Array): number {
  const prediction = new Float32Array(1024);
  evaluateForest(
    buildForest(readTreeGraph(bytes).ensemble, FEATURES),
    new Float32Array(FEATURES),
    1,
    prediction,
  );
  return prediction[0] ?? Number.NaN;
}

describe('a TreeEnsemble of operator set 5', () => {
  it('predicts when valid', () => {
    expect(predict(rootedFile({}))).toBe(11);
  });

  it.each<[string, Attributes, string | RegExp]>([
    ['a missing root', { tree_roots: { ints: [0, 2] } }, "a tree's root is node 2"],
    ['no trees', { tree_roots: { ints: [] } }, 'no nodes'],
    [
      'a node that is its own child',
      { nodes_falseleafs: { ints: [0, 1] }, nodes_falsenodeids: { ints: [0, 3] } },
      'no root: its branches form a cycle',
    ],
    [
      'a node of another tree',
      { nodes_falseleafs: { ints: [0, 1] }, nodes_falsenodeids: { ints: [1, 3] } },
      'trees 0 and 1 share a node',
    ],
    ['the same root twice', { tree_roots: { ints: [0, 0] } }, 'trees 0 and 1 share a node'],
    ['a missing leaf', { nodes_falsenodeids: { ints: [4, 3] } }, /node 0 .*leaf 4.* 4 leaves$/],
    ['a mode that ONNX does not have', { nodes_modes: { uint8: [0, 7] } }, 'node 1 has the mode 7'],
    ['a fractional mode', { nodes_modes: { float32: [0, 1.5] } }, 'node 1 has the mode 1.5'],
    ['a missing set', { nodes_modes: { uint8: [6, 0] } }, 'empty set'],
    ['a superfluous set', { membership_values: { float32: [1, Number.NaN] } }, '0 MEMBER nodes'],
    ['lists of different lengths', { nodes_splits: { float32: [1] } }, 'differ in length'],
    ['a missing target', { leaf_targetids: { ints: [0, 0, 0, 1] } }, 'target 1'],
    ['an aggregate that ONNX does not have', { aggregate_function: { int: 7 } }, 'is 7'],
    ['a billion targets', { n_targets: { int: 1e9 } }, 'n_targets is 1000000000'],
    ['an unknown feature', { nodes_featureids: { ints: [0, 99] } }, 'feature 99'],
  ])('with %s is rejected as invalid', (_, changes, message) => {
    expect(() => predict(rootedFile(changes))).toThrow(message);
    expect(() => predict(rootedFile(changes))).toThrow('the model file is invalid');
  });
});

describe('a TreeEnsembleRegressor', () => {
  it('predicts when valid', () => {
    expect(predict(regressorFile({}))).toBe(4);
  });

  it.each<[string, Attributes, string | RegExp]>([
    ['an unknown mode', { nodes_modes: { texts: ['BRANCH'] } }, '"BRANCH"'],
    ['an unknown aggregate', { aggregate_function: { text: 'MEDIAN' } }, 'is MEDIAN'],
    ['base values for other targets', { base_values: { floats: [1, 2] } }, '2 base_values for 1'],
    [
      'missing-value tracks of a wrong length',
      { nodes_missing_value_tracks_true: { ints: [1, 1] } },
      'differ',
    ],
    ['no targets', { n_targets: { int: 0 } }, 'n_targets is 0'],
  ])('with %s is rejected as invalid', (_, changes, message) => {
    expect(() => predict(regressorFile(changes))).toThrow(message);
  });
});

describe('a post-transform', () => {
  it.each([
    ['TreeEnsembleRegressor', regressorFile({ post_transform: { text: 'LOGISTIC' } })],
    ['TreeEnsemble', rootedFile({ post_transform: { int: 2 } })],
  ])('in a %s leaves the graph to ONNX Runtime', (_, bytes) => {
    expect(() => readTreeGraph(bytes)).toThrow('post_transform');
    expect(() => readTreeGraph(bytes)).toThrow('not supported');
  });
});

describe('a tensor', () => {
  const tensor = (write: (pbf: PbfWriter) => void): Uint8Array => {
    const pbf = new PbfWriter();
    write(pbf);
    return pbf.finish();
  };

  it('may contain unpacked numbers', () => {
    const bytes = tensor((pbf) => {
      pbf.writeVarintField(1, 2);
      pbf.writeVarintField(2, 1);
      pbf.writeFloatField(4, 1.5);
      pbf.writeFloatField(4, -2);
    });
    expect([...readTensor(bytes).values]).toEqual([1.5, -2]);
  });

  it.each<[string, (pbf: PbfWriter) => void, string]>([
    [
      'that claims a billion values',
      (pbf) => {
        pbf.writeVarintField(1, 1e9);
        pbf.writeVarintField(2, 11);
        pbf.writePackedDouble(10, [1]);
      },
      '1 values, expected 1000000000',
    ],
    [
      'that ends inside a number',
      (pbf) => {
        pbf.writeVarintField(1, 1);
        pbf.writeVarintField(2, 1);
        pbf.writeBytesField(9, Uint8Array.of(1, 2, 3));
      },
      'ends inside a number',
    ],
    [
      'with half precision',
      (pbf) => {
        pbf.writeVarintField(1, 1);
        pbf.writeVarintField(2, 10);
      },
      'data type 10',
    ],
    [
      'whose values are in another file',
      (pbf) => {
        pbf.writeVarintField(14, 1);
      },
      'external file',
    ],
  ])('%s is rejected', (_, write, message) => {
    expect(() => readTensor(tensor(write))).toThrow(message);
  });
});

describe('an ensemble file with random changes to its bytes', () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 });

  it.each<[string, fc.Arbitrary<OperatorFile>]>([
    ['TreeEnsembleRegressor', regressors],
    ['TreeEnsemble', rooted],
    ['steps before', withSteps('before', EXACT, fc.float())],
    ['steps after', withSteps('after', [...EXACT, 'Exp'], fc.float())],
  ])('always terminates, and either predicts or is rejected with a typed error: %s', (_, files) => {
    fc.assert(
      fc.property(files, changes, (file, places) => {
        const bytes = onnxFile(file);
        for (const [at, value] of places) {
          bytes[at % bytes.length] = value;
        }
        expect(refusalOf(() => predict(bytes))).toMatch(/^(ModelInvalid|GraphNotSupported|none)$/);
      }),
      { numRuns: 1000 },
    );
  });
});

function refusalOf(action: () => unknown): string {
  try {
    action();
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

it('a file that is not protobuf is rejected as not ONNX', () => {
  const pickled = new TextEncoder().encode('this is a pickle, honestly');
  expect(() => readTreeGraph(pickled)).toThrow('not an ONNX file');
});
