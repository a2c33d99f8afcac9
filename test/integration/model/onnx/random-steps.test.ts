import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraphRegressor } from '../../../../engine/model/onnx/graph-regressor.ts';
import { applySteps } from '../../../../engine/model/onnx/steps.ts';
import { readTreeGraph } from '../../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import type { Forest } from '../../../../engine/model/trees/forest.ts';
import { evaluateForest } from '../../../../engine/model/trees/reference.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';
import { type OperatorFile, onnxFile, type StepFile } from '../../../support/model/onnx-file.ts';
import { expectClose, predictAll } from '../../../support/model/predictions.ts';
import { FEATURES, regressors, VALUES } from '../../../support/model/random-ensembles.ts';
import { EXACT, FLOAT, withSteps } from '../../../support/model/random-steps.ts';
import { runs } from '../../../support/runs.ts';

const value = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const points = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 40 });

const float = fc.float({ noDefaultInfinity: true, noNaN: true, min: -1e9, max: 1e9 });
const anyNumber = fc.oneof(
  { weight: 6, arbitrary: float },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, -0, 1, 1e-45, 1e38, Number.POSITIVE_INFINITY, Number.NaN),
  },
);
const positive = fc.float({ min: Math.fround(0.1), max: 8, noNaN: true });

type Rows = readonly (readonly (number | null)[])[];

async function predictByOnnxRuntime(file: OperatorFile, rows: Rows): Promise<readonly number[]> {
  return (await predictAll(await createGraphRegressor(onnxFile(file), FEATURES), rows)).flat();
}

/** Applies our steps to ONNX Runtime's own sums. */
async function predictFromItsSums(file: OperatorFile, rows: Rows): Promise<readonly number[]> {
  const sums = Float32Array.from(await predictByOnnxRuntime({ ...file, after: [] }, rows));
  applySteps(readTreeGraph(onnxFile(file)).after, file.targets, sums, sums);
  return [...sums];
}

/**
 * Relative errors: rounding a sum below 8 to float32 changes its exponential by at most 2.4e-7. Rounding the exponential,
 * and its product with a factor, adds 0.6e-7 each.
 */
const [MOST_AFTER_EXP, MOST_AFTER_FACTOR] = [3e-7, 4e-7];

function expectWithin(most: number, found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [i, wanted] of expected.entries()) {
    if (!Number.isFinite(wanted)) expect(found[i]).toBe(wanted);
    else
      expect(Math.abs((found[i] ?? Number.NaN) - wanted)).toBeLessThanOrEqual(
        most * Math.abs(wanted),
      );
  }
}

describe('steps after an ensemble', () => {
  it('equal ONNX Runtime bit for bit on the same sums, even for infinity and NaN', async () => {
    await fc.assert(
      fc.asyncProperty(withSteps('after', EXACT, anyNumber), points, async (file, rows) => {
        expect(await predictFromItsSums(file, rows)).toEqual(
          await predictByOnnxRuntime(file, rows),
        );
      }),
      { numRuns: runs(400) },
    );
  });

  it('differ from ONNX Runtime only by rounding if there is an exponential', async () => {
    // Sums are at most 3,430. Constants are positive, because a difference would enlarge an error.
    const small: StepFile = { type: 'Mul', constants: [{ values: [2 ** -9] }] };
    const types = ['Add', 'Mul', 'Div', 'Clip', 'Cast', 'Identity'];
    await fc.assert(
      fc.asyncProperty(withSteps('after', types, positive), points, async (drawnFile, rows) => {
        const file = { ...drawnFile, after: [small, { type: 'Exp' }, ...(drawnFile.after ?? [])] };
        const expected = await predictByOnnxRuntime(file, rows);
        expectWithin(MOST_AFTER_EXP, await predictFromItsSums(file, rows), expected);
      }),
      { numRuns: runs(400) },
    );
  });

  it('invert logarithms with a relative error of at most 4e-7, compared with float64', async () => {
    await fc.assert(
      fc.asyncProperty(regressors, positive, points, async (drawnFile, factor, rows) => {
        const small: StepFile = { type: 'Mul', constants: [{ values: [2 ** -9] }] };
        const back: StepFile = { type: 'Mul', constants: [{ values: [factor] }] };
        const file = { ...drawnFile, after: [small, { type: 'Exp' }, back] };
        const graph = readTreeGraph(onnxFile(file));
        fc.pre(graph.ensemble.aggregate === 'SUM');
        const forest = buildForest(graph.ensemble, FEATURES);
        const found = await predictAll(createTreeRegressor(forest, 1, graph), rows);
        const expected = sumTrees(forest, rows).map((sum) => factor * Math.exp(sum / 512));
        expectWithin(MOST_AFTER_FACTOR, found.flat(), expected);
      }),
      { numRuns: runs(400) },
    );
  });
});

/** Sums trees in float64; the values of a single tree are float32. */
function sumTrees(forest: Forest, rows: Rows): readonly number[] {
  const { targets, baseValues } = forest;
  const features = Float32Array.from(rows.flat(), (feature) => feature ?? Number.NaN);
  const totals = rows.flatMap(() => [...baseValues]);
  for (const root of forest.roots) {
    const tree = { ...forest, roots: Int32Array.of(root), baseValues: new Float64Array(targets) };
    const leaves = new Float32Array(totals.length);
    evaluateForest(tree, features, rows.length, leaves);
    for (const [i, leaf] of leaves.entries()) totals[i] = (totals[i] ?? 0) + leaf;
  }
  return totals;
}

describe('steps before an ensemble', () => {
  it('round like ONNX Runtime, so that points reach the same leaves', async () => {
    const toFloat: StepFile = { type: 'Cast', attributes: { to: { int: FLOAT } } };
    const files = withSteps('before', EXACT, float).filter(({ double }) => !double);
    await fc.assert(
      fc.asyncProperty(files, points, async (drawnFile, rows) => {
        const file = { ...drawnFile, before: [...(drawnFile.before ?? []), toFloat] };
        const graph = readTreeGraph(onnxFile(file));
        const ours = createTreeRegressor(buildForest(graph.ensemble, FEATURES), 1, graph);
        const theirs = await predictAll(await createGraphRegressor(onnxFile(file), FEATURES), rows);
        expectClose(await predictAll(ours, rows), theirs);
      }),
      { numRuns: runs(400) },
    );
  });
});
