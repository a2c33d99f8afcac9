import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packsNeedOnnxRuntime } from '../../lib/build/onnx-runtime.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { ServiceFunction } from '../../lib/service-function.ts';
import { aManifest, asJson } from '../support/model/builders.ts';
import { aGeoTiff } from '../support/model/geotiff-file.ts';
import { predictionsIn } from '../support/model/predictions.ts';

/** Lambda's limit for code and layers, unzipped. */
const ASSET_BYTES = 250 * 1024 * 1024;

const root = mkdtempSync(join(tmpdir(), 'soil-batch-onnx-runtime-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const { features, expected } = predictionsIn('models/sklearn-network.json');

/** Writes a pack for a fixture's graph, in which every cell has the covariates of the fixture's first point. */
function writeModels(graph: string, edge = 1): string {
  const models = mkdtempSync(join(root, 'models-'));
  const pack = join(models, 'plain');
  mkdirSync(pack);
  cpSync(`test/fixtures/models/${graph}.onnx`, join(pack, 'graph.onnx'));
  const covariates = (features[0] ?? []).map((value, i) => {
    const name = `f${i}`;
    const href = `${name}.tif`;
    const values = new Float32Array(edge * edge).fill(value ?? 0);
    writeFileSync(join(pack, href), aGeoTiff({ values, width: edge, height: edge }));
    return { kind: 'raster' as const, name, description: name, unit: null, href };
  });
  const manifest = aManifest({
    grid: { ...aManifest().grid, width: edge, height: edge },
    covariates,
    graph: { href: 'graph.onnx', format: 'onnx', targets: 1 },
    bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
  });
  writeFileSync(join(pack, 'manifest.json'), asJson(manifest));
  return models;
}

function buildAsset(architecture: Architecture, onnxRuntime: boolean): string {
  const app = new App({ outdir: mkdtempSync(join(root, 'out-')) });
  new ServiceFunction(new Stack(app, 'Stack'), 'Predict', {
    config: readStageConfig('dev'),
    handler: '../test/infra/predict-a-pack',
    description: 'Predicts a pack',
    access: [],
    architecture,
    packs: 'whole',
    onnxRuntime,
  });
  const { directory } = app.synth();
  const [asset] = readdirSync(directory).filter((name) => name.startsWith('asset.'));
  if (asset === undefined) throw new Error('no asset was created');
  return join(directory, asset);
}

const loadPlain = (models: string) => ({ modelsFolder: models, modelPacks: ['plain'] });

/** Predicts in a process that has the asset but not the project's `node_modules`. */
function predictWith(asset: string, models: string, threads: number): readonly number[] {
  const alone = mkdtempSync(join(root, 'task-'));
  cpSync(asset, alone, { recursive: true });
  const call = `handler(${JSON.stringify(join(models, 'plain'))}, ${threads})`;
  const script = `
    import { handler } from ${JSON.stringify(join(alone, 'index.mjs'))};
    console.log(JSON.stringify(await ${call}));`;
  const printed = execFileSync('node', ['--input-type=module', '-e', script], {
    cwd: alone,
    encoding: 'utf8',
  });
  return JSON.parse(printed);
}

describe('packs whose graphs are tree ensembles', () => {
  it('do not need ONNX Runtime in local and dev', () => {
    for (const stage of ['local', 'dev']) {
      expect(packsNeedOnnxRuntime(readStageConfig(stage))).toBe(false);
    }
  });

  it('are deployed without ONNX Runtime, and predict the same values on one and two threads', () => {
    const asset = buildAsset(Architecture.X86_64, false);
    expect(existsSync(join(asset, 'node_modules'))).toBe(false);
    const models = writeModels('ranger', 64);
    const predictions = predictWith(asset, models, 1);
    expect(predictions).toHaveLength(64 * 64);
    expect(new Set(predictions).size).toBe(1);
    expect(predictions[0]).toBeGreaterThan(0);
    expect(predictWith(asset, models, 2)).toEqual(predictions);
  });
});

describe('a pack with a neural network', () => {
  let asset = '';
  beforeAll(() => {
    asset = buildAsset(Architecture.X86_64, true);
  });

  it('needs ONNX Runtime, whereas trees with steps around them do not', () => {
    expect(packsNeedOnnxRuntime(loadPlain(writeModels('sklearn-network')))).toBe(true);
    for (const trees of ['ranger', 'lightgbm-logarithm', 'sklearn-scaled-forest']) {
      expect(packsNeedOnnxRuntime(loadPlain(writeModels(trees)))).toBe(false);
    }
  });

  it('has ONNX Runtime for one platform in an asset within Lambda’s limit', () => {
    expect(sizeOf(asset)).toBeLessThan(ASSET_BYTES);
    const binaries = join(asset, 'node_modules/onnxruntime-node/bin/napi-v6');
    expect(readdirSync(binaries)).toEqual(['linux']);
    expect(readdirSync(join(binaries, 'linux'))).toEqual(['x64']);
  });

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'predicts in a process that has only the asset',
    () => {
      const [prediction = Number.NaN] = predictWith(asset, writeModels('sklearn-network'), 1);
      const [wanted = Number.NaN] = expected[0] ?? [];
      expect(Math.abs(prediction - wanted)).toBeLessThanOrEqual(1e-5 * Math.abs(wanted));
    },
  );
});

it('an ARM64 asset has ONNX Runtime for ARM64', () => {
  const asset = buildAsset(Architecture.ARM_64, true);
  expect(readdirSync(join(asset, 'node_modules/onnxruntime-node/bin/napi-v6/linux'))).toEqual([
    'arm64',
  ]);
});

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
