import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraphRegressor } from '../../../../engine/model/onnx/graph-regressor.ts';
import { readTreeGraph } from '../../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import { evaluateForest } from '../../../../engine/model/trees/reference.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';
import { onnxFile } from '../../../support/model/onnx-file.ts';
import { expectClose, predictAll } from '../../../support/model/predictions.ts';
import {
  CLASSES,
  FEATURES,
  regressors,
  rooted,
  VALUES,
} from '../../../support/model/random-ensembles.ts';
import { runs } from '../../../support/runs.ts';

const value = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.float({ noNaN: true }) },
);
const aClass = fc.option(fc.constantFrom(...CLASSES), { freq: 6 });
const points = fc.array(fc.tuple(value, value, aClass), { minLength: 1, maxLength: 30 });

describe.each([
  ['TreeEnsembleRegressor of operator sets 1 to 4', regressors],
  ['TreeEnsemble of operator set 5', rooted],
])('any %s', (_, files) => {
  it("has ONNX Runtime's predictions in our evaluator, in float32 and float64", async () => {
    await fc.assert(
      fc.asyncProperty(files, points, async (file, rows) => {
        const bytes = onnxFile(file);
        const theirs = await predictAll(await createGraphRegressor(bytes, FEATURES), rows);
        const ours = createTreeRegressor(buildForest(readTreeGraph(bytes).ensemble, FEATURES));
        expectClose(await predictAll(ours, rows), theirs);
      }),
      { numRuns: runs(300) },
    );
  });

  it('has the same results in WebAssembly as in TypeScript, bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(files, points, async (file, rows) => {
        const forest = buildForest(readTreeGraph(onnxFile(file)).ensemble, FEATURES);
        const features = Float32Array.from(rows.flat(), (v) => v ?? Number.NaN);
        const expected = new Float32Array(rows.length * forest.targets);
        evaluateForest(forest, features, rows.length, expected);
        const predictions = new Float32Array(expected.length);
        await createTreeRegressor(forest).predict(features, rows.length, predictions);
        expect(predictions).toEqual(expected);
      }),
      { numRuns: runs(100) },
    );
  });
});
