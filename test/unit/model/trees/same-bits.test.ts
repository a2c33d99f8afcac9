import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Aggregate,
  MODE,
  type TreeEnsemble,
} from '../../../../engine/model/onnx/tree-ensemble.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import type { Forest } from '../../../../engine/model/trees/forest.ts';
import { evaluateForest } from '../../../../engine/model/trees/reference.ts';
import { packSmallTrees } from '../../../../engine/model/trees/small-trees.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';

interface Shape {
  readonly features: number;
  readonly targets: number;
  readonly aggregate: Aggregate;
  readonly modes: readonly (keyof typeof MODE)[];
  readonly leaves: readonly number[];
  readonly chain: boolean;
  /** Whether each tree adds to only one target. */
  readonly boosted: boolean;
}

type Draw = (below: number) => number;

function drawsOf(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const TENTH = Math.fround(0.1);
/** Thresholds and point values that are equal, adjacent, or special in comparisons. */
const SPECIAL = [
  ...[Number.NEGATIVE_INFINITY, -1, -1e-45, -0, 0, 1e-45, TENTH, 0.100000009, 0.1, 0.5, 1],
  ...[3.4e38, Number.POSITIVE_INFINITY],
];
/** Leaf weights that cancel out, so that their sum depends on the order of additions. */
const WEIGHTS = [1e9, -1e9, 1e-9, 0.1, -0.1, 0, -0, 1 / 3, 1, -7];

function thresholdOf(draw: Draw): number {
  return draw(2) === 0 ? (SPECIAL[draw(SPECIAL.length)] ?? 0) : (draw(2_000) - 1_000) / 500;
}

function ensembleOf(shape: Shape, draw: Draw): TreeEnsemble {
  const rows: number[][] = [];
  const weights: number[][] = [];
  const modes: number[] = [];
  for (const [tree, leaves] of shape.leaves.entries()) {
    let next = 0;
    const place = (within: number): number => {
      const id = next++;
      const at = rows.length;
      const missing = draw(2);
      const row = [tree, id, draw(shape.features), thresholdOf(draw), 0, 0, missing];
      rows.push(row);
      modes.push(
        MODE[within === 1 ? 'LEAF' : (shape.modes[draw(shape.modes.length)] ?? 'BRANCH_LEQ')],
      );
      if (within > 1) {
        const first = shape.chain ? 1 : 1 + draw(within - 1);
        rows[at] = [...row.slice(0, 4), place(first), place(within - first), missing];
      } else {
        for (let target = 0; target < shape.targets; target++) {
          if (shape.boosted && target !== tree % shape.targets) continue;
          weights.push([tree, id, target, WEIGHTS[draw(WEIGHTS.length)] ?? 0]);
        }
      }
      return id;
    };
    place(leaves);
  }
  const column = (of: readonly number[][], i: number) => of.map((row) => row[i] ?? 0);
  return {
    targets: shape.targets,
    aggregate: shape.aggregate,
    baseValues: Float64Array.from({ length: shape.targets }, () => draw(3)),
    nodes: {
      treeIds: Int32Array.from(column(rows, 0)),
      nodeIds: Int32Array.from(column(rows, 1)),
      modes: Uint8Array.from(modes),
      featureIds: Int32Array.from(column(rows, 2)),
      thresholds: Float64Array.from(column(rows, 3)),
      trueIds: Int32Array.from(column(rows, 4)),
      falseIds: Int32Array.from(column(rows, 5)),
      missingTakesTrue: Int32Array.from(column(rows, 6)),
    },
    leafWeights: {
      treeIds: Int32Array.from(column(weights, 0)),
      nodeIds: Int32Array.from(column(weights, 1)),
      targetIds: Int32Array.from(column(weights, 2)),
      weights: Float64Array.from(column(weights, 3)),
    },
  };
}

interface Points {
  readonly count: number;
  /** Half the range of a feature's values that are neither special nor missing. */
  readonly spread: number;
  /** One in this many values is special; if 1, none is. */
  readonly special: number;
  /** One in this many values is missing; if 1, none is. */
  readonly missing: number;
}

function pointsOf({ count, spread, special, missing }: Points, features: number, draw: Draw) {
  const centres = Array.from({ length: features }, () => (draw(2_000) - 1_000) / 500);
  return Float32Array.from({ length: count * features }, (_, i) => {
    if (draw(missing) === 1) return Number.NaN;
    if (draw(special) === 1) return SPECIAL[draw(SPECIAL.length)] ?? 0;
    return (centres[i % features] ?? 0) + (draw(2_001) / 1_000 - 1) * spread;
  });
}

async function expectSameBits(forest: Forest, points: Float32Array, threads = 1): Promise<void> {
  const count = points.length / forest.features;
  const expected = new Float32Array(count * forest.targets);
  evaluateForest(forest, points, count, expected);
  const found = new Float32Array(expected.length);
  await createTreeRegressor(forest, threads).predict(points, count, found);
  const bits = new Uint32Array(found.buffer);
  const differing = new Uint32Array(expected.buffer).findIndex((bit, i) => bit !== bits[i]);
  expect([differing, found[differing]]).toEqual([-1, undefined]);
}

const leavesOf = (ofTree: fc.Arbitrary<number>) => fc.array(ofTree, { minLength: 1, maxLength: 8 });
const shapes = fc.record({
  features: fc.integer({ min: 1, max: 5 }),
  targets: fc.integer({ min: 1, max: 5 }),
  aggregate: fc.constantFrom<Aggregate>('SUM', 'AVERAGE'),
  modes: fc.constantFrom<Shape['modes']>(
    ['BRANCH_LEQ'],
    ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GT', 'BRANCH_GTE'],
    ['BRANCH_LEQ', 'BRANCH_EQ', 'BRANCH_NEQ'],
  ),
  leaves: fc.oneof(
    leavesOf(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(128, 129, 256))),
    leavesOf(fc.oneof(fc.integer({ min: 1, max: 1_024 }), fc.constantFrom(257))),
  ),
  chain: fc.boolean(),
  boosted: fc.boolean(),
});
const someForests = fc.record({
  shape: shapes,
  // Counts around multiples of the sizes of vectors, parts and blocks.
  count: fc.constantFrom(1, 2, 15, 16, 17, 255, 256, 257, 511, 512, 513, 769, 1_023, 1_500),
  spread: fc.constantFrom(0, 1e-3, 0.05, 0.5, 4),
  special: fc.constantFrom(1, 2, 100),
  missing: fc.constantFrom(1, 50, 5_000),
  seed: fc.nat(),
});

describe('any forest', () => {
  it('predicts every point bit for bit like the reference, whatever its neighbours', async () => {
    const kinds = { small: 0, large: 0 };
    await fc.assert(
      fc.asyncProperty(someForests, async ({ shape, seed, ...points }) => {
        const draw = drawsOf(seed);
        const forest = buildForest(ensembleOf(shape, draw), shape.features);
        kinds[packSmallTrees(forest) ? 'small' : 'large'] += 1;
        await expectSameBits(forest, pointsOf(points, shape.features, draw));
      }),
      { numRuns: 400 },
    );
    expect(Math.min(kinds.small, kinds.large)).toBeGreaterThan(40);
  });

  it('predicts bit for bit like the reference on several threads', async () => {
    await fc.assert(
      fc.asyncProperty(someForests, async ({ shape, seed, ...points }) => {
        const draw = drawsOf(seed);
        const forest = buildForest(ensembleOf(shape, draw), shape.features);
        await expectSameBits(forest, pointsOf(points, shape.features, draw), 3);
      }),
      { numRuns: 8 },
    );
  });
});

describe('a forest of large trees', () => {
  it('predicts like the reference if only the point after a full tile has a missing value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const draw = drawsOf(seed);
        const shape = { features: 2, targets: 1, aggregate: 'SUM', modes: ['BRANCH_LEQ'] } as const;
        const large = { ...shape, leaves: [300, 300], chain: false, boosted: false };
        const forest = buildForest(ensembleOf(large, draw), shape.features);
        const points = new Float32Array(257 * shape.features);
        await expectSameBits(forest, points.fill(Number.NaN, -1));
      }),
      { numRuns: 20 },
    );
  });
});

/** Trees with 128 leaves over one feature, whose thresholds have this many distinct values. */
function forestOfCuts(cuts: number): Forest {
  const draw = drawsOf(cuts);
  const trees = Math.ceil(cuts / 127);
  const shape = { features: 1, targets: 1, aggregate: 'SUM', modes: ['BRANCH_LEQ'] } as const;
  const leaves = Array.from({ length: trees }, () => 128);
  const ensemble = ensembleOf({ ...shape, leaves, chain: false, boosted: false }, draw);
  let cut = 0;
  const thresholds = ensemble.nodes.thresholds.map((_, row) =>
    ensemble.nodes.modes[row] === MODE.LEAF ? 0 : (cut++ * 40_507) % cuts,
  );
  const missingTakesTrue = new Int32Array(thresholds.length);
  return buildForest(
    { ...ensemble, nodes: { ...ensemble.nodes, thresholds, missingTakesTrue } },
    1,
  );
}

describe('a feature with many cuts', () => {
  it.each([
    [255, true],
    [256, true],
    [65_535, true],
    [65_536, false],
  ])('is accepted with up to 65,535 cuts: %i', async (cuts, isSmall) => {
    const forest = forestOfCuts(cuts);
    expect(packSmallTrees(forest) !== undefined).toBe(isSmall);
    const draw = drawsOf(1);
    const far = Float32Array.from({ length: 520 }, () => draw(2 * cuts + 8) / 2 - 2);
    const near = far.map((value) => cuts / 2 + (value % 100));
    await expectSameBits(forest, far);
    await expectSameBits(forest, near);
  });
});
