import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needsOnnxRuntime } from '../../../lambdas/model/load-regressor.ts';
import { readTreeEnsemble } from '../../../lambdas/model/onnx/read-tree-ensemble.ts';
import { graphRegressor } from '../../../lambdas/model/onnx-runtime/graph-regressor.ts';
import { plantForest } from '../../../lambdas/model/trees/plant-forest.ts';
import { treeRegressor } from '../../../lambdas/model/trees/tree-regressor.ts';
import { answersIn, expectClose, fixture, predictAll } from '../../unit/model/answers.ts';

// test/fixtures/models/make.py trained the models and wrote down what their trainers answer.
const models = readdirSync(new URL('../../fixtures/models/', import.meta.url))
  .filter((name) => name.endsWith('.onnx'))
  .map((name) => name.slice(0, -'.onnx'.length));

const graphs = ['sklearn-linear', 'sklearn-network'];
const forests = models.filter((name) => !graphs.includes(name));

it('there are forests of all trainers', () => {
  const trainers = new Set(forests.map((name) => name.split('-')[0]));
  expect([...trainers].sort()).toEqual(['lightgbm', 'ranger', 'sklearn', 'xgboost']);
});

describe.each(forests)('the forest %s', (name) => {
  const bytes = fixture(`models/${name}.onnx`);
  const { features, expected } = answersIn(`models/${name}.json`);
  const columns = features[0]?.length ?? 0;

  it('is small enough to live in the repository', () => {
    expect(bytes.length).toBeLessThan(100_000);
  });

  it("gets its trainer's answers from our own evaluator", async () => {
    expect(needsOnnxRuntime(bytes)).toBe(false);
    const regressor = treeRegressor(plantForest(readTreeEnsemble(bytes), columns));
    expectClose(await predictAll(regressor, features), expected);
  });

  it("gets its trainer's answers from ONNX Runtime", async () => {
    expectClose(await predictAll(await graphRegressor(bytes, columns), features), expected);
  });
});

describe.each(graphs)('the graph %s, which is no tree ensemble', (name) => {
  it.each([1, 2])(
    "gets its trainer's answers from ONNX Runtime on %i thread(s)",
    async (threads) => {
      const bytes = fixture(`models/${name}.onnx`);
      const { features, expected } = answersIn(`models/${name}.json`);
      expect(needsOnnxRuntime(bytes)).toBe(true);
      const regressor = await graphRegressor(bytes, features[0]?.length ?? 0, threads);
      expectClose(await predictAll(regressor, features), expected);
    },
  );
});
