import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelInvalid } from '../../../../engine/model/onnx/errors.ts';
import { MODE, type TreeEnsemble } from '../../../../engine/model/onnx/tree-ensemble.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';

interface Node {
  readonly tree?: number;
  readonly id: number;
  readonly mode?: keyof typeof MODE;
  readonly feature?: number;
  readonly threshold?: number;
  readonly children?: readonly [number, number];
  readonly weight?: number;
}

function ensembleOf(nodes: readonly Node[]): TreeEnsemble {
  const leaves = nodes.filter(({ weight }) => weight !== undefined);
  const ints = (of: readonly Node[], value: (node: Node) => number) => Int32Array.from(of, value);
  return {
    targets: 1,
    aggregate: 'SUM',
    baseValues: new Float64Array(),
    nodes: {
      treeIds: ints(nodes, ({ tree = 0 }) => tree),
      nodeIds: ints(nodes, ({ id }) => id),
      modes: Uint8Array.from(
        nodes,
        ({ mode, children }) => MODE[mode ?? (children ? 'BRANCH_LEQ' : 'LEAF')],
      ),
      featureIds: ints(nodes, ({ feature = 0 }) => feature),
      thresholds: Float64Array.from(nodes, ({ threshold = 0 }) => threshold),
      trueIds: ints(nodes, ({ children }) => children?.[0] ?? 0),
      falseIds: ints(nodes, ({ children }) => children?.[1] ?? 0),
      missingTakesTrue: new Int32Array(),
    },
    leafWeights: {
      treeIds: ints(leaves, ({ tree = 0 }) => tree),
      nodeIds: ints(leaves, ({ id }) => id),
      targetIds: ints(leaves, () => 0),
      weights: Float64Array.from(leaves, ({ weight = 0 }) => weight),
    },
  };
}

async function predict(nodes: readonly Node[], ...points: readonly number[]): Promise<number[]> {
  const out = new Float32Array(points.length);
  await createTreeRegressor(buildForest(ensembleOf(nodes), 1)).predict(
    Float32Array.from(points),
    points.length,
    out,
  );
  return [...out];
}

describe('a tree whose nodes come in any order, with any IDs', () => {
  it('is evaluated from the node that is not a child', async () => {
    const nodes = [
      { id: 7, weight: 2 },
      { id: 90, children: [5, 7] as const, threshold: 1 },
      { id: 5, weight: 1 },
    ];
    expect(await predict(nodes, 1, 1.5)).toEqual([1, 2]);
  });

  it('may be a single leaf', async () => {
    expect(await predict([{ id: 0, weight: 4 }], 1)).toEqual([4]);
  });

  it('may share a node between branches', async () => {
    const nodes = [
      { id: 0, children: [1, 2] as const, threshold: 0 },
      { id: 1, weight: 1 },
      { id: 2, children: [3, 1] as const, threshold: 5 },
      { id: 3, weight: 3 },
    ];
    expect(await predict(nodes, -1, 2, 9)).toEqual([1, 3, 1]);
  });

  it('may be a chain of 100,000 nodes', async () => {
    const depth = 100_000;
    const chain = Array.from({ length: depth }, (_, i) => ({
      id: i,
      children: [depth, i + 1 === depth ? depth + 1 : i + 1] as const,
      threshold: i,
    }));
    const nodes = [...chain, { id: depth, weight: 1 }, { id: depth + 1, weight: 2 }];
    expect(await predict(nodes, -1, depth)).toEqual([1, 2]);
  });
});

describe('more points than are evaluated together', () => {
  it('each reach their own leaf', async () => {
    const nodes = [
      { id: 0, children: [1, 2] as const, threshold: 299 },
      { id: 1, weight: 1 },
      { id: 2, weight: 2 },
    ];
    const points = Array.from({ length: 1000 }, (_, i) => i);
    expect(await predict(nodes, ...points)).toEqual(points.map((i) => (i <= 299 ? 1 : 2)));
  });
});

describe('float32 thresholds', () => {
  it('are compared as float32 values: 0.1 is not above float32(0.1)', async () => {
    const nodes = [
      { id: 0, children: [1, 2] as const, threshold: Math.fround(0.1) },
      { id: 1, weight: 1 },
      { id: 2, weight: 2 },
    ];
    expect(await predict(nodes, 0.1, 0.10000001)).toEqual([1, 2]);
  });
});

const leaves = [
  { id: 1, weight: 1 },
  { id: 2, weight: 2 },
];

describe('a hostile ensemble', () => {
  it.each<[string, readonly Node[], string | RegExp]>([
    ['a node that is its own child', [{ id: 0, children: [0, 0] }], 'no root'],
    [
      'a cycle below the root',
      [
        { id: 0, children: [1, 2] },
        { id: 1, children: [3, 3] },
        { id: 3, children: [1, 2] },
        { id: 2, weight: 1 },
      ],
      'node 1 of tree 0 is its own ancestor',
    ],
    [
      'a cycle apart from the tree',
      [
        { id: 0, children: [1, 2] },
        ...leaves,
        { id: 5, children: [6, 6] },
        { id: 6, children: [5, 5] },
      ],
      /node 5 of tree 0 is unreachable/,
    ],
    [
      'an unreachable leaf',
      [{ id: 0, children: [1, 2] }, ...leaves, { id: 3, weight: 1 }],
      /node 3 of tree 0 is unreachable/,
    ],
    ['a missing child', [{ id: 0, children: [1, 9] }, ...leaves], 'node 9'],
    [
      'a child in another tree',
      [{ id: 0, children: [1, 2] }, leaves[0] ?? { id: 1 }, { tree: 1, id: 2, weight: 1 }],
      'node 2, which its tree does not have',
    ],
    [
      'two nodes with the same ID',
      [{ id: 0, children: [1, 2] }, ...leaves, ...leaves],
      'two nodes with the ID 1',
    ],
    [
      'an unknown feature',
      [{ id: 0, feature: 1, children: [1, 2] }, ...leaves],
      /feature 1: .*0 to 0/,
    ],
    [
      'a threshold that is not a number',
      [{ id: 0, threshold: Number.NaN, children: [1, 2] }, ...leaves],
      'compares with NaN',
    ],
    [
      'an infinite weight',
      [{ id: 0, weight: Number.POSITIVE_INFINITY }],
      'has the weight Infinity',
    ],
  ])('with %s is rejected with the reason', (_, nodes, message) => {
    expect(() => buildForest(ensembleOf(nodes), 1)).toThrow(message);
  });
});

describe('rows with arbitrary branches', () => {
  it('are rejected with a typed error, or form trees in which every point reaches a leaf', async () => {
    const count = fc.integer({ min: 1, max: 9 });
    const rows = count.chain((n) =>
      fc.array(
        fc.record({
          // Use few trees and IDs, so that some rows are valid.
          tree: fc.constantFrom(0, 0, 0, 1),
          children: fc.option(fc.tuple(fc.nat(n), fc.nat(n)), { freq: 2 }),
        }),
        { minLength: n, maxLength: n },
      ),
    );
    let sound = 0;
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const nodes = drawn.map(({ tree, children }, id) =>
          children === null ? { tree, id, weight: 1 } : { tree, id, children },
        );
        try {
          expect(await predict(nodes, -1, 0, 1)).toHaveLength(3);
          sound += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(ModelInvalid);
        }
      }),
      { numRuns: 3_000, seed: 5 },
    );
    expect(sound).toBeGreaterThan(100);
  });
});
