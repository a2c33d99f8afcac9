import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listImports } from './imports.ts';

/** The layers that each layer may import, besides itself: handler → domain → port → adapter. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'engine/concurrency': [],
  'engine/display': [],
  'engine/errors': [],
  'engine/json': [],
  'engine/geometry': ['engine/json'],
  'engine/projection': ['engine/geometry'],
  'engine/raster': ['engine/concurrency', 'engine/geometry', 'engine/projection'],
  'engine/model': [
    'engine/concurrency',
    'engine/errors',
    'engine/geometry',
    'engine/projection',
    'engine/raster/grid/grid.ts',
    'engine/raster/summary/correlation.ts',
  ],
  'lambdas/drawing': ['engine/display', 'engine/geometry', 'engine/model', 'engine/projection'],
  'lambdas/domain': [
    'engine/concurrency',
    'engine/geometry',
    'engine/json',
    'engine/model',
    'engine/raster',
  ],
  'lambdas/observability': ['lambdas/domain'],
  'lambdas/adapters': ['lambdas/domain', 'engine/json', 'engine/model', 'engine/raster'],
  'lambdas/wiring.ts': ['lambdas/adapters', 'lambdas/domain', 'lambdas/observability'],
  'lambdas/finish-and-report.ts': ['lambdas/wiring.ts', 'lambdas/domain', 'lambdas/observability'],
  // Tables and Items of results are both responses of the API and files that the pipeline writes.
  'lambdas/results': [
    'engine/concurrency',
    'engine/display/csv-row.ts',
    'engine/geometry',
    'engine/json',
    'engine/model',
    'lambdas/domain',
    'lambdas/api/routes.ts',
  ],
  'lambdas/api': [
    'lambdas/results',
    'engine/geometry',
    'lambdas/finish-and-report.ts',
    'lambdas/wiring.ts',
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
    'engine/concurrency',
    'lambdas/drawing',
    'engine/model',
    'engine/json',
    'engine/display',
  ],
  'lambdas/pipeline': [
    'lambdas/finish-and-report.ts',
    'lambdas/wiring.ts',
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
    'lambdas/results',
    'engine/model',
  ],
  'lambdas/reconcile': [
    'lambdas/finish-and-report.ts',
    'lambdas/wiring.ts',
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
  ],
  'lambdas/signing-key': ['lambdas/adapters', 'lambdas/observability', 'lambdas/domain'],
  'lambdas/webhooks': [
    'lambdas/wiring.ts',
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
  ],
  // The client is a separate package: it knows the service only by its OpenAPI document.
  client: [],
  console: ['client', 'engine/display', 'engine/json/json-bytes.ts', 'engine/raster/grid/clip.ts'],
  // Infrastructure names handlers by file, so it imports none.
  lib: [
    'lambdas/domain/limits.ts',
    'lambdas/domain/cost/prices.ts',
    'lambdas/domain/delivery/batch-finished.ts',
    'lambdas/api/http/problem-types.ts',
    'lambdas/api/http/headers.ts',
    'lambdas/api/http/request.ts',
    'lambdas/api/routes.ts',
    'lambdas/api/specification/build-templates.ts',
    'engine/model',
    'lambdas/observability/metric-catalogue.ts',
  ],
};

const WITHOUT_AWS = [
  'engine/concurrency',
  'engine/display',
  'engine/errors',
  'engine/json',
  'lambdas/drawing',
  'lambdas/results',
  'engine/geometry',
  'engine/projection',
  'engine/raster',
  'engine/model',
  'lambdas/domain',
];

describe.each(Object.keys(MAY_IMPORT))('%s', (layer) => {
  const imports = listImports(layer);

  it('imports only itself and the layers that are listed for it', () => {
    const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])];
    const astray = imports.filter(
      ({ target }) =>
        /^(bin|cli|client|console|engine|lambdas|lib|local)\//.test(target) &&
        !allowed.some((place) => target === place || target.startsWith(`${place}/`)),
    );
    expect(astray).toEqual([]);
  });
});

it('the commands in bin/ import nothing from local/, except those that generate files', () => {
  // Examples in the reference are responses of the development server.
  const commands = listImports('bin').filter(({ file }) => !file.startsWith('bin/generated/'));
  expect(commands.filter(({ target }) => target.startsWith('local/'))).toEqual([]);
});

it('imports are found, including those of `#engine/…`', () => {
  const imports = listImports('lambdas');
  expect(imports.length).toBeGreaterThan(500);
  expect(imports.filter(({ target }) => target.startsWith('engine/')).length).toBeGreaterThan(50);
});

it.each(WITHOUT_AWS)('%s imports nothing from AWS', (layer) => {
  const imports = listImports(layer);
  expect(imports.filter(({ target }) => /^(@aws-sdk|@smithy|aws-)/.test(target))).toEqual([]);
});

it('only adapters/clients.ts imports the classes of SDK clients', () => {
  const made = listImports('lambdas').filter(
    ({ target, values }) =>
      /^@aws-sdk\/client-/.test(target) && values.some((name) => name.endsWith('Client')),
  );
  expect(new Set(made.map(({ file }) => file))).toEqual(new Set(['lambdas/adapters/clients.ts']));
});

it.each(['engine', 'lambdas'])('everything in %s/ belongs to a layer with a rule', (place) => {
  const folders = readdirSync(place).map((name) => `${place}/${name}`);
  const layers = Object.keys(MAY_IMPORT).filter((layer) => layer.startsWith(`${place}/`));
  expect(folders.sort()).toEqual(layers.sort());
});

const SUITES = readdirSync('test', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => `test/${name}`)
  .filter((folder) => folder !== 'test/fixtures');

it.each(SUITES)('%s imports no other suite: shared code is in test/support', (suite) => {
  const other = listImports(suite).filter(
    ({ target }) =>
      /^test\/.+\//.test(target) &&
      ![`${suite}/`, 'test/support/', 'test/fixtures/'].some((place) => target.startsWith(place)),
  );
  expect(other).toEqual([]);
});

it('the client imports neither packages nor Node modules', () => {
  const imports = listImports('client/src');
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter(({ target }) => !target.startsWith('client/src/'))).toEqual([]);
});
