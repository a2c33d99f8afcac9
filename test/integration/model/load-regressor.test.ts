import { describe, expect, it } from 'vitest';
import { loadRegressor } from '../../../engine/model/load-regressor.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { PackFileUnavailable } from '../../../engine/model/pack/pack-files.ts';
import { aManifest, asJson, createPackFiles } from '../../support/model/builders.ts';
import { fixture } from '../../support/model/predictions.ts';

/** A pack whose model cannot be read in the first attempts. */
async function makeFailingPack(times: number) {
  const files = createPackFiles({
    'manifest.json': asJson(aManifest()),
    'forest.onnx': fixture('onnx/forest.onnx'),
  });
  let asked = 0;
  const pack = await loadPack({
    ...files,
    readFile: async (href) => {
      if (href === 'forest.onnx') asked += 1;
      if (href === 'forest.onnx' && asked <= times)
        throw new PackFileUnavailable(href, 'no response');
      return files.readFile(href);
    },
  });
  return { pack, asked: () => asked };
}

describe("a pack's model", () => {
  it('is loaded once for all invocations, including concurrent ones', async () => {
    const { pack, asked } = await makeFailingPack(0);
    const [first, second] = await Promise.all([loadRegressor(pack), loadRegressor(pack)]);
    expect(second).toBe(first);
    expect(await loadRegressor(pack)).toBe(first);
    expect(asked()).toBe(1);
  });

  it('is read again after a failure', async () => {
    const { pack, asked } = await makeFailingPack(1);
    await expect(loadRegressor(pack)).rejects.toThrow('no response');
    expect((await loadRegressor(pack)).targets).toBe(2);
    expect(asked()).toBe(2);
  });
});
