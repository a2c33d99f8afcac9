import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GraphNotSupported, ModelInvalid } from '../../../../engine/model/onnx/errors.ts';
import { readTreeGraph } from '../../../../engine/model/onnx/tree-graph.ts';
import { buildForest } from '../../../../engine/model/trees/build-forest.ts';
import { createTreeRegressor } from '../../../../engine/model/trees/tree-regressor.ts';
import {
  type ExpectedPredictions,
  expectClose,
  fixture,
  predictAll,
  predictionsIn,
} from '../../../support/model/predictions.ts';

// test/fixtures/onnx/make.py makes the models, and their predictions with ONNX Runtime.
const modelBytes = (name: string) => fixture(`onnx/${name}.onnx`);

function predict(bytes: Uint8Array, rows: ExpectedPredictions['features']): Promise<number[][]> {
  const columns = rows[0]?.length ?? 0;
  return predictAll(createTreeRegressor(buildForest(readTreeGraph(bytes).ensemble, columns)), rows);
}

describe.each([
  ['forest', 'a random forest with two targets'],
  ['boosted', 'boosted trees with a base value'],
  ['modes', 'every comparison, at its threshold and for missing values'],
])('the model %s.onnx', (name, what) => {
  it(`has ONNX Runtime's predictions: ${what}`, async () => {
    const { features, expected } = predictionsIn(`onnx/${name}.json`);
    expectClose(await predict(modelBytes(name), features), expected);
  });
});

describe('a graph that is not a tree ensemble', () => {
  it('is rejected with the name of its operator', () => {
    const read = () => readTreeGraph(modelBytes('network'));
    expect(read).toThrow(GraphNotSupported);
    expect(read).toThrow(/Constant|MatMul/);
  });
});

describe('an invalid model file', () => {
  it('is rejected if empty', () => {
    expect(() => readTreeGraph(new Uint8Array())).toThrow('not an ONNX model');
  });

  it('is rejected wherever it is truncated', async () => {
    const bytes = modelBytes('modes');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        expect(await refusalOf(bytes.subarray(0, length))).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });

  it('either predicts or is rejected with a typed error after changes to its bytes', async () => {
    const sound = modelBytes('modes');
    const change = fc.tuple(fc.nat(sound.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const bytes = Uint8Array.from(sound);
        for (const [at, value] of changes) {
          bytes[at] = value;
        }
        await refusalOf(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('is rejected if it is random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expect(await refusalOf(bytes)).toBeDefined();
      }),
    );
  });
});

/** Returns the typed error, or undefined if the model predicts. Any other error fails the test. */
async function refusalOf(bytes: Uint8Array): Promise<Error | undefined> {
  try {
    await predict(bytes, [[0.5, Number.NaN]]);
    return undefined;
  } catch (error) {
    if (error instanceof ModelInvalid || error instanceof GraphNotSupported) {
      return error;
    }
    throw error;
  }
}
