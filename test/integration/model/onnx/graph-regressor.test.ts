import { describe, expect, it } from 'vitest';
import { loadRegressor } from '../../../../engine/model/load-regressor.ts';
import { createGraphRegressor } from '../../../../engine/model/onnx/graph-regressor.ts';
import { findFileProblems } from '../../../../engine/model/verify-pack.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';
import { fixture, predictAll } from '../../../support/model/predictions.ts';

// test/fixtures/onnx/make_graphs.py writes these graphs.
const graph = (name: string) => fixture(`onnx/${name}.onnx`);

describe('a graph that is not a tree ensemble', () => {
  it('may compute in float64', async () => {
    const regressor = await createGraphRegressor(graph('double'), 2);
    expect(await predictAll(regressor, [[1, 2.5]])).toEqual([[2, 5]]);
  });

  it('returns nothing for no points', async () => {
    const regressor = await createGraphRegressor(graph('double'), 2);
    expect(await predictAll(regressor, [])).toEqual([]);
  });

  it('rejects more points than fit in the buffers', async () => {
    const regressor = await createGraphRegressor(graph('double'), 2);
    const prediction = regressor.predict(new Float32Array(2), 2, new Float32Array(4));
    await expect(prediction).rejects.toThrow(/^2 points /);
  });

  it('predicts for a pack', async () => {
    const manifest = aManifest({ covariates: aManifest().covariates.slice(2) });
    const pack = await aPack(manifest, { 'forest.onnx': graph('double') });
    expect(await predictAll(await loadRegressor(pack), [[3, 4]])).toEqual([[6, 8]]);
  });
});

describe('a graph that a pack cannot use', () => {
  it.each([
    ['unknown-operator', 'GraphNotSupported', /Divine/],
    ['two-inputs', 'GraphNotSupported', '2 inputs'],
    ['two-outputs', 'GraphNotSupported', '2 outputs'],
    ['whole-numbers', 'GraphNotSupported', '"X" is int64'],
    ['one-row', 'ModelInvalid', '2 points'],
    ['external', 'GraphNotSupported', 'in another file'],
    ['external-inside', 'GraphNotSupported', 'in another file'],
    ['wide', 'ModelInvalid', '[N, 3], expected [N, 2]'],
  ])('%s.onnx is rejected with a %s', async (name, error, message) => {
    const loading = createGraphRegressor(graph(name), 2);
    await expect(loading).rejects.toMatchObject({ name: error });
    await expect(createGraphRegressor(graph(name), 2)).rejects.toThrow(message);
  });

  it("is rejected if its targets differ from the manifest's", async () => {
    const manifest = aManifest({
      covariates: aManifest().covariates.slice(2),
      graph: { href: 'graph.onnx', format: 'onnx', targets: 3 },
    });
    const pack = await aPack(manifest, { 'graph.onnx': graph('double') });
    await expect(loadRegressor(pack)).rejects.toThrow(/2 targets.* 3$/);
  });

  it.each([
    ['endless', 4, 'a run with two points takes more than 4 s'],
    ['one-row', 60, '2 points'],
    ['external', 60, 'in another file'],
  ])('%s.onnx is reported as a problem of its pack', async (name, trialSeconds, message) => {
    const manifest = aManifest({
      covariates: aManifest().covariates.slice(2),
      graph: { href: 'graph.onnx', format: 'onnx', targets: 2 },
    });
    const pack = await aPack(manifest, { 'graph.onnx': graph(name) });
    const problems = await findFileProblems(pack, trialSeconds);
    expect(problems).toContainEqual({
      field: 'graph.href',
      message: expect.stringContaining(message),
    });
  });

  it('is rejected as invalid if it is not an ONNX file', async () => {
    await expect(createGraphRegressor(Uint8Array.of(1, 2, 3), 2)).rejects.toMatchObject({
      name: 'ModelInvalid',
    });
  });
});

describe('a truncated graph for ONNX Runtime', () => {
  it('is rejected with a typed error', async () => {
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
