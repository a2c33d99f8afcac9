import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importsWithin } from './imports.ts';

/** What each layer may import besides itself: handler → domain → port → adapter. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'lambdas/concurrency': [],
  'lambdas/json': [],
  'lambdas/markup': [],
  'lambdas/geometry': ['lambdas/json'],
  'lambdas/projection': ['lambdas/geometry'],
  'lambdas/raster': ['lambdas/concurrency', 'lambdas/geometry', 'lambdas/projection'],
  'lambdas/model': [
    'lambdas/concurrency',
    'lambdas/geometry',
    'lambdas/markup',
    'lambdas/projection',
  ],
  'lambdas/drawing': ['lambdas/geometry', 'lambdas/markup', 'lambdas/model', 'lambdas/projection'],
  'lambdas/domain': [
    'lambdas/concurrency',
    'lambdas/geometry',
    'lambdas/json',
    'lambdas/model',
    'lambdas/raster',
  ],
  'lambdas/observability': ['lambdas/domain'],
  'lambdas/adapters': ['lambdas/domain', 'lambdas/json', 'lambdas/model', 'lambdas/raster'],
  'lambdas/api': [
    'lambdas/geometry',
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
    'lambdas/concurrency',
    'lambdas/drawing',
    'lambdas/markup',
    'lambdas/model',
    'lambdas/json',
    // What the service and the published packages share; a package contains nothing from outside its folder.
    'client/src/text',
  ],
  'lambdas/pipeline': [
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
    'lambdas/model',
  ],
  'lambdas/reconcile': ['lambdas/adapters', 'lambdas/observability', 'lambdas/domain'],
  'lambdas/signing-key': ['lambdas/adapters', 'lambdas/observability', 'lambdas/domain'],
  'lambdas/widget': [
    'lambdas/adapters',
    'lambdas/observability',
    'lambdas/domain',
    'lambdas/markup',
  ],
  'lambdas/webhooks': ['lambdas/adapters', 'lambdas/observability', 'lambdas/domain'],
  // A package of its own: it knows the service by its OpenAPI document.
  client: [],
  'cli/src/terminal': ['cli/src/exit-code.ts'],
  'cli/src/config': ['cli/src/exit-code.ts'],
  'cli/src/run': ['cli/src/exit-code.ts', 'cli/src/fields', 'cli/src/results', 'cli/src/terminal'],
  // Infrastructure names handlers by their file; of the code it knows limits, prices, packs, metrics, and
  // what the gateway's own responses share with the functions': problems and headers.
  lib: [
    'lambdas/domain/limits.ts',
    'lambdas/domain/cost/prices.ts',
    'lambdas/api/http/problem-types.ts',
    'lambdas/api/http/headers.ts',
    'lambdas/api/operations/table.ts',
    'lambdas/model',
    'lambdas/observability/metric-catalogue.ts',
  ],
};

const WITHOUT_AWS = [
  'lambdas/concurrency',
  'lambdas/json',
  'lambdas/markup',
  'lambdas/drawing',
  'lambdas/geometry',
  'lambdas/projection',
  'lambdas/raster',
  'lambdas/model',
  'lambdas/domain',
];

describe.each(Object.keys(MAY_IMPORT))('%s', (layer) => {
  const imports = importsWithin(layer);

  it('imports only the layers below it', () => {
    const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])];
    const astray = imports.filter(
      ({ target }) =>
        /^(bin|cli|client|console|lambdas|lib|local)\//.test(target) &&
        !allowed.some((place) => target === place || target.startsWith(`${place}/`)),
    );
    expect(astray).toEqual([]);
  });
});

it('imports are found', () => {
  expect(importsWithin('lambdas').length).toBeGreaterThan(500);
});

it.each(WITHOUT_AWS)('%s knows nothing of AWS', (layer) => {
  const imports = importsWithin(layer);
  expect(imports.filter(({ target }) => /^(@aws-sdk|@smithy|aws-)/.test(target))).toEqual([]);
});

it('adapters/clients.ts alone makes SDK clients, so that each has timeouts', () => {
  const made = importsWithin('lambdas').filter(
    ({ target, values }) =>
      /^@aws-sdk\/client-/.test(target) && values.some((name) => name.endsWith('Client')),
  );
  expect(new Set(made.map(({ file }) => file))).toEqual(new Set(['lambdas/adapters/clients.ts']));
});

it('everything in lambdas/ is in a layer with a rule', () => {
  const folders = readdirSync('lambdas', { withFileTypes: true });
  const layers = Object.keys(MAY_IMPORT).filter((layer) => layer.startsWith('lambdas/'));
  expect(folders.map(({ name }) => `lambdas/${name}`).sort()).toEqual(layers.sort());
});

it('the core of the client imports neither packages nor Node', () => {
  const core = importsWithin('client/src').filter(
    ({ file }) => !file.startsWith('client/src/node/'),
  );
  expect(core.length).toBeGreaterThan(20);
  expect(core.filter(({ target }) => !target.startsWith('client/src/'))).toEqual([]);
  expect(core.filter(({ target }) => target.startsWith('client/src/node/'))).toEqual([]);
});
