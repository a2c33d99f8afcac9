import { describe, expect, it } from 'vitest';
import { loadRegressor } from '../../../../lambdas/model/load-regressor.ts';
import { graphRegressor } from '../../../../lambdas/model/onnx-runtime/graph-regressor.ts';
import { fixture, predictAll } from '../../../unit/model/answers.ts';
import { aManifest, aPack } from '../../../unit/model/builders.ts';

// test/fixtures/onnx/make_graphs.py wrote these graphs by hand.
const graph = (name: string) => fixture(`onnx/${name}.onnx`);

describe('a graph that is no tree ensemble', () => {
  it('may compute in float64', async () => {
    const regressor = await graphRegressor(graph('double'), 2);
    expect(await predictAll(regressor, [[1, 2.5]])).toEqual([[2, 5]]);
  });

  it('answers no points with nothing', async () => {
    const regressor = await graphRegressor(graph('double'), 2);
    expect(await predictAll(regressor, [])).toEqual([]);
  });

  it('refuses more points than there is room for', async () => {
    const regressor = await graphRegressor(graph('double'), 2);
    const prediction = regressor.predict(new Float32Array(2), 2, new Float32Array(4));
    await expect(prediction).rejects.toThrow('no room for 2 points of 2 features');
  });

  it('is what a pack predicts with', async () => {
    const manifest = aManifest({ covariates: aManifest().covariates.slice(2) });
    const pack = await aPack(manifest, { 'forest.onnx': graph('double') });
    expect(await predictAll(await loadRegressor(pack), [[3, 4]])).toEqual([[6, 8]]);
  });
});

describe('a graph that ONNX Runtime runs, but not for a pack', () => {
  it.each([
    ['unknown-operator', 'GraphNotSupported', /Divine/],
    ['two-inputs', 'GraphNotSupported', 'has 2 inputs, not one'],
    ['two-outputs', 'GraphNotSupported', 'has 2 outputs, not one'],
    ['whole-numbers', 'GraphNotSupported', 'its input "X" is int64, not float32 or float64'],
    ['one-row', 'ModelInvalid', 'it fails on 2 points'],
    ['wide', 'ModelInvalid', 'its input is [N, 3], the model is given [N, 2]'],
  ])('%s.onnx is refused with a %s', async (name, error, message) => {
    const loading = graphRegressor(graph(name), 2);
    await expect(loading).rejects.toMatchObject({ name: error });
    await expect(graphRegressor(graph(name), 2)).rejects.toThrow(message);
  });

  it('is refused with the manifest named when it gives other targets', async () => {
    const manifest = aManifest({
      covariates: aManifest().covariates.slice(2),
      graph: { href: 'graph.onnx', format: 'onnx', targets: 3 },
    });
    const pack = await aPack(manifest, { 'graph.onnx': graph('double') });
    await expect(loadRegressor(pack)).rejects.toThrow('it gives 2 targets, the manifest says 3');
  });

  it('is refused as broken when it is no file of ONNX at all', async () => {
    await expect(graphRegressor(Uint8Array.of(1, 2, 3), 2)).rejects.toMatchObject({
      name: 'ModelInvalid',
    });
  });
});

describe('a graph for ONNX Runtime with its end cut off', () => {
  it('is refused by name', async () => {
    const whole = fixture('models/sklearn-network.onnx');
    const manifest = aManifest({
      graph: { href: 'graph.onnx', format: 'onnx', targets: 1 },
      bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
    });
    for (let length = 0; length < whole.length; length += 97) {
      const pack = await aPack(manifest, { 'graph.onnx': whole.subarray(0, length) });
      await expect(loadRegressor(pack)).rejects.toMatchObject({
        name: expect.stringMatching(/^(ModelInvalid|GraphNotSupported)$/),
      });
    }
    const sound = await aPack(manifest, { 'graph.onnx': whole });
    expect(await predictAll(await loadRegressor(sound), [[0, 0, 0, 0]])).toHaveLength(1);
  });
});
