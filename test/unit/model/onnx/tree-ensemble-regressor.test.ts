import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GraphNotSupported, ModelInvalid } from '../../../../lambdas/model/onnx/errors.ts';
import { readTreeEnsembleRegressor } from '../../../../lambdas/model/onnx/tree-ensemble-regressor.ts';
import { plantForest } from '../../../../lambdas/model/trees/plant-forest.ts';
import { treeRegressor } from '../../../../lambdas/model/trees/tree-regressor.ts';

// test/fixtures/onnx/make.py made the models, and the answers with ONNX Runtime.
const fixtures = new URL('../../../fixtures/onnx/', import.meta.url);

interface Answers {
  readonly features: readonly (readonly (number | null)[])[];
  readonly expected: readonly (readonly number[])[];
}

function modelBytes(name: string): Uint8Array {
  return readFileSync(new URL(`${name}.onnx`, fixtures));
}

function answersOf(name: string): Answers {
  return JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), 'utf8'));
}

function predictAll(bytes: Uint8Array, rows: Answers['features']): number[][] {
  const columns = rows[0]?.length ?? 0;
  const regressor = treeRegressor(plantForest(readTreeEnsembleRegressor(bytes), columns));
  const out = new Float32Array(rows.length * regressor.targets);
  const features = Float32Array.from(rows.flat(), (value) => value ?? Number.NaN);
  regressor.predict(features, rows.length, out);
  return rows.map((_, i) => [...out.subarray(i * regressor.targets, (i + 1) * regressor.targets)]);
}

describe.each([
  ['forest', 'a random forest of two targets'],
  ['boosted', 'boosted trees with a base value'],
  ['modes', 'every comparison on its threshold and on missing values'],
])('the model %s.onnx', (name, what) => {
  it(`gives ONNX Runtime's answers: ${what}`, () => {
    const { features, expected } = answersOf(name);
    const answers = predictAll(modelBytes(name), features);
    expect(answers).toHaveLength(expected.length);
    for (const [i, row] of expected.entries()) {
      for (const [target, value] of row.entries()) {
        const difference = Math.abs((answers[i]?.[target] ?? Number.NaN) - value);
        expect(difference, `point ${i}, target ${target}`).toBeLessThanOrEqual(
          1e-5 * Math.abs(value),
        );
      }
    }
  });
});

describe('a graph of another kind', () => {
  it('is left to another engine, with its operator named', () => {
    const read = () => readTreeEnsembleRegressor(modelBytes('network'));
    expect(read).toThrow(GraphNotSupported);
    expect(read).toThrow(/Constant|MatMul/);
  });
});

describe('a file that is no sound model', () => {
  it('is refused when empty', () => {
    expect(() => readTreeEnsembleRegressor(new Uint8Array())).toThrow('not an ONNX model');
  });

  it('is refused wherever it is cut off', () => {
    const bytes = modelBytes('modes');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(refusalOf(bytes.subarray(0, length))).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });

  it('is refused or still predicts when bytes of it are changed, and always ends', () => {
    const sound = modelBytes('modes');
    const change = fc.tuple(fc.nat(sound.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = Uint8Array.from(sound);
        for (const [at, value] of changes) {
          bytes[at] = value;
        }
        refusalOf(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('is refused when it is noise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(refusalOf(bytes)).toBeDefined();
      }),
    );
  });
});

/** The typed refusal; undefined when the model predicts. Any other error fails the test. */
function refusalOf(bytes: Uint8Array): Error | undefined {
  try {
    predictAll(bytes, [[0.5, Number.NaN]]);
    return undefined;
  } catch (error) {
    if (error instanceof ModelInvalid || error instanceof GraphNotSupported) {
      return error;
    }
    throw error;
  }
}
