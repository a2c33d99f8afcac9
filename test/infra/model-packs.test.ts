import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { computeDigests, readDeployedDigests } from '../../engine/model/pack/digests.ts';
import { loadDeployedPack } from '../../engine/model/pack/pack.ts';
import { type PackFiles, PackFileUnavailable } from '../../engine/model/pack/pack-files.ts';
import { openPackFolder } from '../../engine/model/pack/pack-folder.ts';
import {
  copyPacks,
  listS3ObjectsOfPacks,
  type PackContents,
  requireUsablePacks,
} from '../../lib/build/model-packs.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { aBox } from '../support/box.ts';
import { synthesiseWith } from '../support/infra/synthesised.ts';
import { aManifest, asJson } from '../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../support/model/geotiff-file.ts';
import { allowancesOf } from './statements.ts';

const root = mkdtempSync(join(tmpdir(), 'soil-batch-packs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const raster = aGeoTiff({ values: cellsOf((col) => col) });

/** A folder with one flat pack, as drawn in `docs/model-packs.md`. */
function writeModels(
  manifest: unknown,
  files: Readonly<Record<string, Uint8Array>> = { 'slope.tif': raster, 'clay.tif': raster },
): string {
  const models = mkdtempSync(join(root, 'models-'));
  const pack = join(models, 'plain');
  mkdirSync(pack);
  cpSync('test/fixtures/onnx/forest.onnx', join(pack, 'forest.onnx'));
  writeFileSync(join(pack, 'manifest.json'), asJson(manifest));
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(pack, name)), { recursive: true });
    writeFileSync(join(pack, name), bytes);
  }
  return models;
}

const { memoryMb } = readStageConfig('dev');
const loadPlain = (models: string) => ({ modelsFolder: models, modelPacks: ['plain'], memoryMb });

const unreachable = (href: string) => {
  throw new PackFileUnavailable(href, 'no response: ENOTFOUND', { transient: true });
};
const silent: PackFiles = {
  readFile: async (href) => unreachable(href),
  readRange: async (href) => unreachable(href),
  readSize: async (href) => unreachable(href),
};
const nowhere = { https: silent, s3: silent };

function buildAsset(models: string, contents: PackContents): string {
  const asset = mkdtempSync(join(root, 'asset '));
  copyPacks(asset, loadPlain(models), contents);
  return asset;
}

function listBundled(models: string): readonly string[] {
  const asset = buildAsset(models, 'whole');
  return readdirSync(asset, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(asset.length + 1))
    .sort();
}

describe("a model pack in a function's asset", () => {
  it('is absent when `modelPacks` does not name it', () => {
    const asset = mkdtempSync(join(root, 'asset-'));
    const { modelsFolder, modelPacks } = readStageConfig('dev');
    const others = modelPacks.filter((name) => name !== 'meuse-soc');
    copyPacks(asset, { modelsFolder, modelPacks: others }, 'whole');
    expect(readdirSync(join(asset, 'models'))).toEqual(others.toSorted());
  });

  it('contains only the files that its manifest names, and their digests', () => {
    const [, clay, x, y] = aManifest().covariates;
    const slope = { kind: 'raster', name: 'slope', description: 'slope', unit: null } as const;
    const covariates = [{ ...slope, href: "rasters/the slope's.tif" }, clay, x, y];
    const models = writeModels(
      { ...aManifest(), covariates },
      {
        "rasters/the slope's.tif": raster,
        'clay.tif': raster,
        'README.md': asJson('a card'),
        'training/samples.csv': asJson('data'),
      },
    );
    expect(listBundled(models)).toEqual([
      'models/plain/SHA256SUMS',
      'models/plain/clay.tif',
      'models/plain/forest.onnx',
      'models/plain/manifest.json',
      "models/plain/rasters/the slope's.tif",
    ]);
  });

  it.each(['whole', 'manifests'] as const)(
    'contains the digests of all files: %s',
    async (contents) => {
      const models = writeModels(aManifest());
      const asset = buildAsset(models, contents);
      const [deployed, own] = await Promise.all(
        [join(asset, 'models', 'plain'), join(models, 'plain')].map((pack) =>
          loadDeployedPack(openPackFolder(pack)),
        ),
      );
      if (deployed === undefined || own === undefined) throw new Error('two packs');
      const digests = await computeDigests(own);
      expect(Object.keys(digests)).toEqual([
        'manifest.json',
        'forest.onnx',
        'slope.tif',
        'clay.tif',
      ]);
      expect(await readDeployedDigests(deployed)).toEqual(digests);
    },
  );
});

describe('the packs of a deployment', () => {
  it('are all usable in local and dev', async () => {
    for (const stage of ['local', 'dev']) {
      await expect(requireUsablePacks(readStageConfig(stage), nowhere)).resolves.toEqual([]);
    }
  });

  it('may be in a flat folder', async () => {
    await expect(requireUsablePacks(loadPlain(writeModels(aManifest())), nowhere)).resolves.toEqual(
      [],
    );
  });

  it.each<[string, unknown, Readonly<Record<string, Uint8Array>> | undefined, string]>([
    [
      'a manifest that breaks the schema',
      { ...aManifest(), version: 'one' },
      undefined,
      'version: expected a semantic version',
    ],
    [
      'a graph at a URL',
      {
        ...aManifest(),
        graph: { href: 'https://example.org/forest.onnx', format: 'onnx', targets: 2 },
      },
      undefined,
      'graph.href: ',
    ],
    [
      'a missing graph',
      aManifest({ graph: { href: 'tree.onnx', format: 'onnx', targets: 2 } }),
      undefined,
      'graph.href: tree.onnx: not found in the pack',
    ],
    [
      'a graph with other targets',
      aManifest({ graph: { href: 'forest.onnx', format: 'onnx', targets: 3 } }),
      undefined,
      'graph.href: forest.onnx: the model file is invalid: the graph has 2 targets, the manifest declares 3',
    ],
    [
      'a graph with other features',
      { ...aManifest(), covariates: aManifest().covariates.slice(0, 2) },
      undefined,
      'graph.href: forest.onnx: the model file is invalid:',
    ],
    [
      'a missing covariate',
      aManifest(),
      { 'slope.tif': raster },
      'covariates[1].href: clay.tif: not found in the pack',
    ],
    [
      'a covariate on another grid',
      aManifest(),
      {
        'clay.tif': raster,
        'slope.tif': aGeoTiff({ values: cellsOf((col) => col), origin: [500003, 5600000] }),
      },
      'covariates[0].href: slope.tif: its grid differs',
    ],
    [
      'a coverage with latitudes first',
      aManifest({ coverage: aBox(50.549, 3, 50.552, 3.006) }),
      undefined,
      'coverage: ',
    ],
    [
      'blocks too large for the memory of the prediction function',
      aManifest({ grid: { ...aManifest().grid, tile_size: 1024, block_tiles: 16 } }),
      undefined,
      'grid.block_tiles: a patch-batch of 16 × 16 tiles',
    ],
  ])('are rejected for %s, with the name of the field', async (_, manifest, files, problem) => {
    const models = writeModels(manifest, files);
    await expect(requireUsablePacks(loadPlain(models), nowhere)).rejects.toThrow(
      `${models}/plain/manifest.json: ${problem}`,
    );
  });

  it('are rejected when the folder has no manifest', async () => {
    const models = mkdtempSync(join(root, 'empty-'));
    await expect(requireUsablePacks(loadPlain(models), nowhere)).rejects.toThrow(
      `${models}/plain/manifest.json: not found`,
    );
  });

  it('are deployed with a note when a covariate at a URL is unavailable', async () => {
    const [slope, ...others] = aManifest().covariates;
    const href = 's3://soil-covariates/dem/slope.tif';
    const models = writeModels(
      aManifest({ covariates: [{ ...slope, href } as typeof slope & object, ...others] }),
    );
    await expect(requireUsablePacks(loadPlain(models), nowhere)).resolves.toEqual([
      `${models}/plain/manifest.json: covariates[0].href: ${href}: no response: ENOTFOUND`,
    ]);
    expect(listBundled(models)).not.toContain('models/plain/slope.tif');
    expect(listS3ObjectsOfPacks(loadPlain(models))).toEqual([
      { bucket: 'soil-covariates', key: 'dem/slope.tif' },
    ]);
  });
});

describe('a covariate in S3', () => {
  const [slope, ...others] = aManifest().covariates;
  const href = 's3://soil-covariates/dem/slope.tif';
  const covariates = [{ ...slope, href } as typeof slope & object, ...others];
  const models = writeModels(aManifest({ covariates }));

  it('may be read only by the functions that plan and predict', () => {
    const synthesised = synthesiseWith({ ...readStageConfig('dev'), ...loadPlain(models) });
    const allowed = allowancesOf(synthesised).filter(({ resources }) =>
      resources.some((resource) => resource.includes('soil-covariates')),
    );
    const byHolder = allowed.toSorted((a, b) => a.holder.localeCompare(b.holder));
    expect(byHolder).toMatchObject(
      ['PlanJob', 'PredictPatchBatch'].map((holder) => ({
        holder: expect.stringContaining(holder),
        actions: ['s3:GetObject'],
        // The statement also covers the service's own bucket, because the CDK merges statements with the same
        // action.
        resources: expect.arrayContaining([
          expect.stringMatching(/^arn:.*:s3:::soil-covariates\/dem\/slope\.tif$/),
        ]),
      })),
    );
  });
});
