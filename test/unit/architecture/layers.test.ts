import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsWithin } from './imports.ts';

/** What each layer may import beside itself and `lambdas/*.ts`: handler → domain → port → adapter. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'lambdas/raster': [],
  'lambdas/model': [],
  'lambdas/domain': ['lambdas/model', 'lambdas/raster'],
  'lambdas/adapters': ['lambdas/domain', 'lambdas/model', 'lambdas/raster'],
  'lambdas/api': ['lambdas/adapters', 'lambdas/domain', 'lambdas/model'],
  'lambdas/pipeline': ['lambdas/adapters', 'lambdas/domain', 'lambdas/model'],
  'lambdas/reconcile': ['lambdas/adapters', 'lambdas/domain'],
  'lambdas/signing-key': ['lambdas/adapters', 'lambdas/domain'],
  'lambdas/widget': ['lambdas/adapters', 'lambdas/domain'],
  'lambdas/webhooks': ['lambdas/adapters', 'lambdas/domain'],
  // Infrastructure names handlers by their file; of the code it knows limits, prices, packs, and
  // what the gateway's own answers share with the functions': problems and headers.
  lib: [
    'lambdas/domain/limits.ts',
    'lambdas/domain/cost/prices.ts',
    'lambdas/api/http/problem-types.ts',
    'lambdas/api/http/headers.ts',
    'lambdas/api/operations/table.ts',
    'lambdas/model',
  ],
};

const WITHOUT_AWS = ['lambdas/domain', 'lambdas/raster', 'lambdas/model'];

describe.each(Object.keys(MAY_IMPORT))('%s', (layer) => {
  const imports = importsWithin(layer);

  it('imports only the layers below it', () => {
    const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])];
    const astray = imports.filter(
      ({ target }) =>
        /^(lambdas|lib|bin|local)\//.test(target) &&
        dirname(target) !== 'lambdas' &&
        !allowed.some((place) => target === place || target.startsWith(`${place}/`)),
    );
    expect(imports.length).toBeGreaterThan(0);
    expect(astray).toEqual([]);
  });
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

it('every folder of the functions is a layer with a rule', () => {
  const folders = readdirSync('lambdas', { withFileTypes: true }).filter((e) => e.isDirectory());
  const layers = Object.keys(MAY_IMPORT).filter((layer) => layer.startsWith('lambdas/'));
  expect(folders.map(({ name }) => `lambdas/${name}`).sort()).toEqual(layers.sort());
});
