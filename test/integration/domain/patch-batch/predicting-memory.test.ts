import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { estimatePredictingMemory } from '../../../../engine/model/pack/predicting-memory.ts';
import { aManifest, asJson, createPackFiles } from '../../../support/model/builders.ts';
import { aGeoTiff } from '../../../support/model/geotiff-file.ts';
import { onnxFile } from '../../../support/model/onnx-file.ts';
import { obtainProgram } from '../../../support/program.ts';

const [mean, other] = aManifest().bands;
if (mean === undefined || other === undefined) throw new Error('the plain pack has two bands');
const bands = [mean, other, { ...mean, name: 'third' }];
const axes = Array.from({ length: 8 }, (_, i) => ({
  kind: 'coordinate' as const,
  name: `x${i}`,
  description: 'x',
  axis: 'x' as const,
}));

async function estimateMb(
  block_tiles: number,
  changes: NonNullable<Parameters<typeof aManifest>[0]> = {},
  covariates = Number.POSITIVE_INFINITY,
): Promise<number> {
  const grid = { ...aManifest().grid, tile_size: 512, block_tiles };
  const manifest = aManifest({ grid, bands, covariates: axes, ...changes });
  const files = createPackFiles({ 'manifest.json': asJson(manifest) });
  const { manifest: parsed } = await loadPack(files);
  return estimatePredictingMemory(parsed, { model: 0, covariates }) / 2 ** 20;
}

describe('the estimated memory of a patch-batch', () => {
  it('includes the nodes of a pack that declares the correlation of its prediction errors', async () => {
    const quantile = (name: string, level: number) => ({
      ...mean,
      name,
      from: { kind: 'target' as const, index: 1, level },
    });
    const declared = (range_m: number) => ({
      bands: [mean, quantile('q05', 0.05), quantile('q95', 0.95)],
      error: {
        ...{ lower: 'q05', upper: 'q95', how: 'by hand', command: 'none' },
        correlation: { model: 'exponential' as const, nugget: 0.3, range_m },
      },
    });
    const without = await estimateMb(16, { bands: declared(1).bands });
    const far = await estimateMb(16, declared(400));
    expect(far).toBeGreaterThan(without);
    // Nodes are closer together if the range is shorter.
    expect(await estimateMb(16, declared(50))).toBeGreaterThan(far);
  });

  it('includes the training points', async () => {
    const area = { href: 'training.f32', weights: Array(8).fill(1), how: 'by hand' };
    const neededWith = (points: number) =>
      estimateMb(8, { applicability: { ...area, points, mean_distance: 1, threshold: 1 } });
    expect((await neededWith(10_000)) - (await estimateMb(8))).toBeGreaterThan(1);
    expect(await neededWith(10_000)).toBeGreaterThan(await neededWith(1000));
  });

  it('counts no more covariate tiles than the files contain', async () => {
    const [none, few, all] = [
      await estimateMb(8, {}, 0),
      await estimateMb(8, {}, 2 ** 20),
      await estimateMb(8),
    ];
    expect(few).toBeGreaterThan(none);
    expect(all).toBeGreaterThan(few);
    expect(await estimateMb(8, {}, 2 ** 40)).toBe(all);
  });

  it.each([
    ['16 × 16 tiles of noise', readFileSync('test/fixtures/onnx/forest.onnx'), 16, 4],
    // The size of the file does not show how much memory this forest needs.
    ['by 400,000 trees with one leaf each', makeSingleLeaves(400_000), 1, 2],
  ])('exceeds the memory of a process that predicts %s', async (_, graph, block_tiles, most) => {
    const folder = mkdtempSync(join(tmpdir(), 'pack-'));
    const edge = block_tiles * 128;
    const size = { width: edge, height: edge };
    const values = Float32Array.from({ length: edge ** 2 }, () => Math.random() * 4 - 2);
    const [slope, clay, ...coordinates] = aManifest().covariates;
    const noise = { href: 'noise.tif' };
    const manifest = {
      ...aManifest({ bands, points_per_second: 1e6 }),
      grid: { ...aManifest().grid, ...size, tile_size: 128, block_tiles },
      covariates: [{ ...slope, ...noise }, { ...clay, ...noise }, ...coordinates],
    };
    try {
      writeFileSync(join(folder, 'manifest.json'), asJson(manifest));
      writeFileSync(join(folder, 'noise.tif'), aGeoTiff({ values, ...size }));
      writeFileSync(join(folder, 'forest.onnx'), graph);
      // Run a bundle, like a function, because tsx itself would take memory.
      const program = await obtainProgram(
        'test/integration/domain/patch-batch/predict-one-block.ts',
      );
      const printed = execFileSync(process.execPath, [program, folder], { encoding: 'utf8' });
      const { kind, needed, held } = JSON.parse(printed);
      expect(kind).toBe('completed');
      expect(held).toBeLessThan(needed);
      expect(held).toBeGreaterThan(needed / most);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function makeSingleLeaves(count: number): Uint8Array {
  const zeros = { ints: Array<number>(count).fill(0) };
  const trees = { ints: Array.from({ length: count }, (_, tree) => tree) };
  return onnxFile({
    ...{ type: 'TreeEnsembleRegressor', opset: 3, double: false, features: 4, targets: 2 },
    attributes: {
      ...{ n_targets: { int: 2 }, nodes_treeids: trees, nodes_nodeids: zeros },
      nodes_modes: { texts: Array<string>(count).fill('LEAF') },
      ...{ nodes_featureids: zeros, nodes_truenodeids: zeros, nodes_falsenodeids: zeros },
      ...{ nodes_values: { floats: zeros.ints }, target_treeids: trees, target_nodeids: zeros },
      ...{ target_ids: zeros, target_weights: { floats: zeros.ints } },
    },
  });
}
