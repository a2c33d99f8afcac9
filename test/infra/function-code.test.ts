import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  buildFunctions,
  listDeployedHandlers,
  readFunctionCode,
} from '../../lib/build/function-code.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const folder = mkdtempSync(join(tmpdir(), 'soil-batch-functions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HANDLERS = ['api/functions/open', 'api/functions/batches'];

describe('the build of all functions', () => {
  it('builds the handlers of exactly the functions', () => {
    const named = synthesise('prod').functions.map(({ handlerFile }) => handlerFile);
    expect(listDeployedHandlers()).toEqual([...named].sort());
  });

  it('produces the same bytes for a function as building it alone', () => {
    const together = buildFunctions(HANDLERS, join(folder, 'together.json')).output;
    for (const handler of HANDLERS) {
      const alone = buildFunctions([handler], join(folder, 'alone.json')).output;
      expect(Object.keys(alone[handler] ?? {}).sort()).toEqual(['index.mjs', 'index.mjs.map']);
      expect(alone[handler]).toEqual(together[handler]);
    }
  });

  it('produces handlers that need no other file of the bundle at run time', () => {
    for (const handler of listDeployedHandlers()) {
      expect(readFunctionCode(handler)['index.mjs'], handler).not.toMatch(/from"\.|import\("\./);
    }
  });

  it.each([
    ['zstddec', ['api/functions/batches', 'pipeline/copy-results', 'pipeline/predict-patch-batch']],
    ['fast-png', ['api/functions/batches']],
    [
      'proj4',
      [
        'api/functions/batches',
        'api/functions/creations',
        'pipeline/assemble-raster',
        'pipeline/plan-job',
        'pipeline/predict-patch-batch',
      ],
    ],
  ])('includes %s only where it is called', (name, functions) => {
    const containing = listDeployedHandlers().filter((handler) =>
      readFunctionCode(handler)['index.mjs.map']?.includes(`node_modules/${name}/`),
    );
    expect(containing).toEqual(functions);
  });

  it('imports ONNX Runtime only where the asset may contain it', () => {
    const importing = listDeployedHandlers().filter((handler) =>
      readFunctionCode(handler)['index.mjs']?.includes('"onnxruntime-node"'),
    );
    expect(importing).toEqual(['pipeline/predict-patch-batch']);
  });
});

describe('the cache of the build', () => {
  const file = join(folder, 'cache.json');

  /** Makes a one-line handler, so that a build takes an instant. @returns its path under `lambdas/` */
  function handlerOf(name: string, text: string, changed = new Date(0)): string {
    const source = join(folder, `${name}.ts`);
    writeFileSync(source, `export const handler = () => ${JSON.stringify(text)};`);
    utimesSync(source, changed, changed);
    return join(relative('lambdas', folder), name);
  }

  const handlers = ['first', 'second'].map((name) => handlerOf(name, name));

  it('is used while no input changes', () => {
    const [handler = ''] = handlers;
    buildFunctions(handlers, file);
    const cache = JSON.parse(readFileSync(file, 'utf8'));
    const marked = { ...cache.output, [handler]: { 'index.mjs': 'from the cache' } };
    writeFileSync(file, JSON.stringify({ ...cache, output: marked }));
    expect(buildFunctions(handlers, file).output).toEqual(marked);
    rmSync(file);
  });

  it.each([
    relative('.', join(folder, 'first.ts')),
    'lambdas/a-file-that-is-gone.ts',
    'node_modules/.package-lock.json',
  ])('is replaced when an input differs: %s', (path) => {
    const built = buildFunctions(handlers, file);
    const cache = JSON.parse(readFileSync(file, 'utf8'));
    const stale = Object.fromEntries(handlers.map((handler) => [handler, { 'index.mjs': '' }]));
    const inputs = { ...cache.inputs, [path]: 'another' };
    writeFileSync(file, JSON.stringify({ ...cache, inputs, output: stale }));
    expect(buildFunctions(handlers, file)).toEqual(built);
    expect(JSON.parse(readFileSync(file, 'utf8')).inputs).toEqual(cache.inputs);
  });

  it('covers the inputs of a build, including imports of a handler', () => {
    buildFunctions(HANDLERS.slice(0, 1), file);
    const { inputs } = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(inputs)).toEqual(
      expect.arrayContaining([
        'lambdas/api/functions/open.ts',
        'lambdas/api/http/handle.ts',
        'lib/build/function-code.ts',
        'node_modules/.package-lock.json',
      ]),
    );
  });

  it('is not used when an input changed during the build', () => {
    const later = new Date(Date.now() + 3_600_000);
    const handler = handlerOf('changed', 'a first text', later);
    buildFunctions([handler], file);
    const cache = JSON.parse(readFileSync(file, 'utf8'));
    cache.output[handler] = { 'index.mjs': '' };
    writeFileSync(file, JSON.stringify(cache));
    expect(buildFunctions([handler], file).output[handler]?.['index.mjs']).toContain(
      'a first text',
    );
  });

  it('is replaced when a handler is added', () => {
    buildFunctions(handlers.slice(0, 1), file);
    expect(Object.keys(buildFunctions(handlers, file).output)).toEqual(handlers);
  });
});
