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
import { stageConfig } from '../../lib/config.ts';
import { packsNeedOnnxRuntime } from '../../lib/onnx-runtime.ts';
import { ServiceFunction } from '../../lib/service-function.ts';
import { answersIn } from '../unit/model/answers.ts';
import { aManifest, asJson } from '../unit/model/builders.ts';
import { aGeoTiff } from '../unit/model/geotiff-file.ts';

/** Lambda: code and layers, unzipped. */
const ASSET_BYTES = 250 * 1024 * 1024;

const root = mkdtempSync(join(tmpdir(), 'soil-batch-onnx-runtime-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const { features, expected } = answersIn('models/sklearn-network.json');

/** A pack of one cell that holds the fixture's first point, for a graph of the fixtures. */
function modelsWith(graph: string): string {
  const models = mkdtempSync(join(root, 'models-'));
  const pack = join(models, 'plain');
  mkdirSync(pack);
  cpSync(`test/fixtures/models/${graph}.onnx`, join(pack, 'graph.onnx'));
  const covariates = (features[0] ?? []).map((value, i) => {
    const name = `f${i}`;
    const href = `${name}.tif`;
    const cell = aGeoTiff({ values: Float32Array.of(value ?? 0), width: 1, height: 1 });
    writeFileSync(join(pack, href), cell);
    return { kind: 'raster' as const, name, description: name, unit: null, href };
  });
  const manifest = aManifest({
    grid: { ...aManifest().grid, width: 1, height: 1 },
    covariates,
    graph: { href: 'graph.onnx', format: 'onnx', targets: 1 },
    bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
  });
  writeFileSync(join(pack, 'manifest.json'), asJson(manifest));
  return models;
}

/** The asset of a function with the predicting code, as `cdk deploy` would upload it. */
function assetOf(architecture: Architecture, onnxRuntime: boolean): string {
  const app = new App({ outdir: mkdtempSync(join(root, 'out-')) });
  new ServiceFunction(new Stack(app, 'Stack'), 'Predict', {
    config: stageConfig('dev'),
    handler: '../test/infra/predict-one-cell',
    description: 'Predicts a cell',
    access: [],
    architecture,
    packs: 'whole',
    onnxRuntime,
  });
  const { directory } = app.synth();
  const [asset] = readdirSync(directory).filter((name) => name.startsWith('asset.'));
  if (asset === undefined) throw new Error('no asset was made');
  return join(directory, asset);
}

const plainIn = (models: string) => ({ modelsFolder: models, modelPacks: ['plain'] });

describe('packs whose graphs are tree ensembles', () => {
  it('need no ONNX Runtime, in any stage', () => {
    for (const stage of ['local', 'dev', 'prod']) {
      expect(packsNeedOnnxRuntime(stageConfig(stage))).toBe(false);
    }
  });

  it('are deployed without it', () => {
    expect(existsSync(join(assetOf(Architecture.X86_64, false), 'node_modules'))).toBe(false);
  });
});

describe('a pack with a neural network', () => {
  let asset = '';
  beforeAll(() => {
    asset = assetOf(Architecture.X86_64, true);
  });

  it('needs ONNX Runtime', () => {
    expect(packsNeedOnnxRuntime(plainIn(modelsWith('sklearn-network')))).toBe(true);
    expect(packsNeedOnnxRuntime(plainIn(modelsWith('ranger')))).toBe(false);
  });

  it('has it in an asset that Lambda takes, for one platform', () => {
    expect(sizeOf(asset)).toBeLessThan(ASSET_BYTES);
    const binaries = join(asset, 'node_modules/onnxruntime-node/bin/napi-v6');
    expect(readdirSync(binaries)).toEqual(['linux']);
    expect(readdirSync(join(binaries, 'linux'))).toEqual(['x64']);
  });

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'is predicted with by the asset alone, in a process of its own',
    () => {
      // Away from the project, whose own node_modules must not help.
      const alone = join(root, 'task');
      cpSync(asset, alone, { recursive: true });
      const pack = join(modelsWith('sklearn-network'), 'plain');
      const script = `
        import { handler } from ${JSON.stringify(join(alone, 'index.mjs'))};
        console.log(JSON.stringify(await handler(${JSON.stringify(pack)})));`;
      const printed = execFileSync('node', ['--input-type=module', '-e', script], {
        cwd: alone,
        encoding: 'utf8',
      });
      const [answer] = JSON.parse(printed);
      const [wanted = Number.NaN] = expected[0] ?? [];
      expect(Math.abs(answer - wanted)).toBeLessThanOrEqual(1e-5 * Math.abs(wanted));
    },
  );
});

it('on ARM64 the asset has the library of that platform', () => {
  const asset = assetOf(Architecture.ARM_64, true);
  expect(readdirSync(join(asset, 'node_modules/onnxruntime-node/bin/napi-v6/linux'))).toEqual([
    'arm64',
  ]);
});

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
