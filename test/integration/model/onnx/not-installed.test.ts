import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Hides the package as if it were not installed. */
const HOOKS = `
  export async function resolve(name, context, next) {
    if (name !== 'onnxruntime-node') return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;

it('the error for a graph that needs ONNX Runtime names the operator and the command that installs it', () => {
  const program = `
    import { readFileSync } from 'node:fs';
    import { register } from 'node:module';
    import { loadRegressor } from './engine/model/load-regressor.ts';
    import { aManifest, aPack } from './test/support/model/builders.ts';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOKS)}));
    const graph = readFileSync('test/fixtures/onnx/network.onnx');
    await loadRegressor(await aPack(aManifest(), { 'forest.onnx': graph }));`;
  const run = ['--import', 'tsx', '--input-type=module', '-e', program];
  const { status, stderr } = spawnSync(process.execPath, run, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('OnnxRuntimeMissing');
  expect(stderr).toContain('npm run setup models/onnx-runtime');
  expect(stderr).toContain('MatMul');
});
