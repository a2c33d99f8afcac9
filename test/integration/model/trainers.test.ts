import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needsOnnxRuntime } from '../../../engine/model/load-regressor.ts';
import { createGraphRegressor } from '../../../engine/model/onnx/graph-regressor.ts';
import { readTreeGraph } from '../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../engine/model/trees/build-forest.ts';
import { createTreeRegressor } from '../../../engine/model/trees/tree-regressor.ts';
import {
  expectClose,
  fixture,
  predictAll,
  predictionsIn,
} from '../../support/model/predictions.ts';

// test/fixtures/models/make.py trains the models, and records their trainers' predictions.
const models = readdirSync(new URL('../../fixtures/models/', import.meta.url))
  .filter((name) => name.endsWith('.onnx'))
  .map((name) => name.slice(0, -'.onnx'.length));

const graphs = ['sklearn-linear', 'sklearn-network'];
const forests = models.filter((name) => !graphs.includes(name));

it('the fixtures include forests from all trainers', () => {
  const trainers = new Set(forests.map((name) => name.split('-')[0]));
  expect([...trainers].sort()).toEqual(['catboost', 'lightgbm', 'ranger', 'sklearn', 'xgboost']);
});

describe.each(forests)('the forest %s', (name) => {
  const bytes = fixture(`models/${name}.onnx`);
  const { features, expected } = predictionsIn(`models/${name}.json`);
  const columns = features[0]?.length ?? 0;

  it('is small enough for the repository', () => {
    expect(bytes.length).toBeLessThan(100_000);
  });

  it("gives its trainer's predictions in our own evaluator", async () => {
    expect(needsOnnxRuntime(bytes)).toBe(false);
    const graph = readTreeGraph(bytes);
    const regressor = createTreeRegressor(buildForest(graph.ensemble, columns), 1, graph);
    expectClose(await predictAll(regressor, features), expected);
  });

  it("gives its trainer's predictions in ONNX Runtime", async () => {
    expectClose(await predictAll(await createGraphRegressor(bytes, columns), features), expected);
  });
});

describe.each(graphs)('the graph %s, which is not a tree ensemble', (name) => {
  it.each([1, 2])(
    "gives its trainer's predictions in ONNX Runtime on %i thread(s)",
    async (threads) => {
      const bytes = fixture(`models/${name}.onnx`);
      const { features, expected } = predictionsIn(`models/${name}.json`);
      expect(needsOnnxRuntime(bytes)).toBe(true);
      const regressor = await createGraphRegressor(bytes, features[0]?.length ?? 0, threads);
      expectClose(await predictAll(regressor, features), expected);
    },
  );
});
