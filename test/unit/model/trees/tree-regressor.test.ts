import { describe, expect, it } from 'vitest';
import { readTreeGraph } from '../../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import type { Forest } from '../../../../engine/model/trees/forest.ts';
import { evaluateForest } from '../../../../engine/model/trees/reference.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';
import { fixture } from '../../../support/model/predictions.ts';

const FEATURES = 4;
const forestOf = (name: string): Forest =>
  buildForest(readTreeGraph(fixture(`models/${name}.onnx`)).ensemble, FEATURES);

/** Points on a grid of values, some missing; the same in every run. */
function pointsOf(count: number): Float32Array {
  return Float32Array.from({ length: count * FEATURES }, (_, i) => {
    const step = (i * 7919) % 1009;
    return step % 97 === 0 ? Number.NaN : (step - 500) / 160;
  });
}

function expectedOf(forest: Forest, points: Float32Array, count: number): Float32Array {
  const expected = new Float32Array(count * forest.targets);
  evaluateForest(forest, points, count, expected);
  return expected;
}

describe.each([
  ['sklearn-random-forest', 'two targets'],
  ['lightgbm', 'missing values'],
])('the forest %s with %s', (name) => {
  const forest = forestOf(name);

  it.each([1, 2, 511, 513, 40_000])(
    'predicts %i points bit for bit like the TypeScript version',
    async (n) => {
      const points = pointsOf(n);
      const predictions = new Float32Array(n * forest.targets);
      await createTreeRegressor(forest).predict(points, n, predictions);
      expect(predictions).toEqual(expectedOf(forest, points, n));
    },
  );

  it('equals the TypeScript version for neighbours, which mostly take the same path', async () => {
    const points = pointsOf(20_000).map((_, i) => 0.3 + Math.floor(i / FEATURES) / 1e6 - (i % 4));
    const predictions = new Float32Array(20_000 * forest.targets);
    await createTreeRegressor(forest).predict(points, 20_000, predictions);
    expect(predictions).toEqual(expectedOf(forest, points, 20_000));
  });

  it('has the same results on three threads', async () => {
    const regressor = createTreeRegressor(forest, 3);
    const points = pointsOf(40_000);
    for (const n of [40_000, 1, 20_000]) {
      const predictions = new Float32Array(n * forest.targets);
      await regressor.predict(points, n, predictions);
      expect(predictions).toEqual(expectedOf(forest, points, n));
    }
  });

  it('gives concurrent calls their own results', async () => {
    const regressor = createTreeRegressor(forest, 2);
    const [few, many] = [pointsOf(100), pointsOf(30_000).reverse()];
    const predictions = [100, 30_000].map((n) => new Float32Array(n * forest.targets));
    const [first = new Float32Array(), second = new Float32Array()] = predictions;
    await Promise.all([
      regressor.predict(many, 30_000, second),
      regressor.predict(few, 100, first),
    ]);
    expect(first).toEqual(expectedOf(forest, few, 100));
    expect(second).toEqual(expectedOf(forest, many, 30_000));
  });
});

it('more points than fit in the buffers are rejected', async () => {
  const regressor = createTreeRegressor(forestOf('ranger'));
  await expect(regressor.predict(pointsOf(1), 2, new Float32Array(2))).rejects.toThrow(
    '2 points need 8 feature values and 2 target values: got 4 and 2',
  );
});
