import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import proj4 from 'proj4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECTIONS } from '../../../lambdas/model/pack/projections.ts';

const folder = mkdtempSync(join(tmpdir(), 'soil-batch-proj4-'));
const bundle = join(folder, 'proj4.mjs');

beforeAll(() => {
  execFileSync('node_modules/.bin/esbuild', [
    'lambdas/raster/grid/bundled-proj4.mjs',
    ...['--bundle', '--format=esm', '--platform=node', '--main-fields=module,main'],
    '--alias:mgrs=./lambdas/raster/grid/unread-definitions.ts',
    '--alias:wkt-parser=./lambdas/raster/grid/unread-definitions.ts',
    `--outfile=${bundle}`,
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Parameters that every projection finds what it needs in. */
const parameters =
  '+lat_0=40 +lat_1=45 +lat_2=55 +lat_ts=50 +lon_0=6 +lonc=6 +alpha=30 +gamma=30 +zone=32 +k=0.9996 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4,50.3,465.6 +units=m +no_defs';

describe('the projections that functions carry', () => {
  it.each(PROJECTIONS)('are those of the whole package: %s', async (name) => {
    const { default: bundled } = await import(pathToFileURL(bundle).href);
    const definition = `+proj=${name} ${parameters}`;
    const place = [7.25, 47.5];
    const there = bundled('+proj=longlat +datum=WGS84', definition).forward([...place]);
    expect(there).toEqual(proj4('+proj=longlat +datum=WGS84', definition).forward([...place]));
    expect(there.every(Number.isFinite)).toBe(true);
  });

  it('leave out the others', async () => {
    const { default: bundled } = await import(pathToFileURL(bundle).href);
    expect(() => bundled('+proj=longlat', '+proj=qsc +lat_0=0 +lon_0=0')).toThrow();
  });
});
