import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freezeManifest } from '../../../bin/packs/freeze.ts';
import { remoteSources } from '../../../bin/packs/remote-sources.ts';
import { withRemoteSources } from '../../../engine/model/pack/pack-files.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { aManifest } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';
import { obtainProgram } from '../../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'own-machine-'));
const layer = aGeoTiff({
  ...{ values: cellsOf((col) => 10 * col), origin: [9, 53], cellSize: 0.01, epsg: 4326 },
  nodata: '-1',
});
const server = createServer((request, response) => {
  const [first = 0, last = 0] = (request.headers.range ?? '').match(/\d+/g)?.map(Number) ?? [];
  const body = layer.subarray(first, last + 1);
  const range = `bytes ${first}-${first + body.length - 1}/${layer.length}`;
  response.writeHead(206, { 'content-range': range }).end(body);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { graph: _, grid: __, coverage: ___, ...rest } = aManifest();
  const href = `http://127.0.0.1:${(server.address() as AddressInfo).port}/map.tif`;
  const manifest = {
    ...rest,
    covariates: [
      { kind: 'raster', name: 'soc', description: 'soc', unit: 'kg/m3', href, scale: 0.1 },
    ],
    bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command without blocking the server of this process. */
async function run(command: string, request: object) {
  const program = await obtainProgram(`bin/${command}.ts`);
  return new Promise<{ readonly stdout: string; readonly stderr: string }>((resolve) => {
    const { stdin } = execFile('node', [program], (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
    stdin?.end(JSON.stringify({ folder, ...request }));
  });
}

it('a map on a server of this machine can be frozen and sampled, but not deployed', async () => {
  const { manifest, findings } = await freezeManifest(
    JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')),
    withRemoteSources(openPackFolder(folder), remoteSources()),
  );
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  expect(findings).toEqual([expect.stringContaining('soc: 40 × 30 cells of 0.01 from 9, 53')]);
  const positions = { positions: [[9.125, 52.995]] };
  const { stdout } = await run('pack-sample', positions);
  expect(JSON.parse(stdout)).toMatchObject({ names: ['soc'], samples: [[12]] });
  const refused = await run('pack-predict', { ...positions, stage: 'dev' });
  expect(refused.stderr).toContain('covariates[0].href: ');
});
