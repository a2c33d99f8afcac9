import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTreeEnsemble } from '../../../../lambdas/model/onnx/read-tree-ensemble.ts';
import { graphRegressor } from '../../../../lambdas/model/onnx-runtime/graph-regressor.ts';
import { plantForest } from '../../../../lambdas/model/trees/plant-forest.ts';
import { evaluate } from '../../../../lambdas/model/trees/reference.ts';
import { treeRegressor } from '../../../../lambdas/model/trees/tree-regressor.ts';
import { expectClose, predictAll } from '../../../unit/model/answers.ts';
import { onnxFile } from '../../../unit/model/onnx/onnx-file.ts';
import {
  CLASSES,
  FEATURES,
  regressors,
  rooted,
  VALUES,
} from '../../../unit/model/onnx/random-ensembles.ts';

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
  it("gets ONNX Runtime's answers from our evaluator, in float32 and float64", async () => {
    await fc.assert(
      fc.asyncProperty(files, points, async (file, rows) => {
        const bytes = onnxFile(file);
        const theirs = await predictAll(await graphRegressor(bytes, FEATURES), rows);
        const ours = treeRegressor(plantForest(readTreeEnsemble(bytes), FEATURES));
        expectClose(await predictAll(ours, rows), theirs);
      }),
      { numRuns: 300 },
    );
  });

  it('gets the same answers from WebAssembly as from TypeScript, to the bit', async () => {
    await fc.assert(
      fc.asyncProperty(files, points, async (file, rows) => {
        const forest = plantForest(readTreeEnsemble(onnxFile(file)), FEATURES);
        const features = Float32Array.from(rows.flat(), (v) => v ?? Number.NaN);
        const expected = new Float32Array(rows.length * forest.targets);
        evaluate(forest, features, rows.length, expected);
        const answers = new Float32Array(expected.length);
        await treeRegressor(forest).predict(features, rows.length, answers);
        expect(answers).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});
