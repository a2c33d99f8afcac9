import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiOf } from '../../../bin/verify/api.ts';
import { findPack } from '../../../bin/verify/find-pack.ts';
import { readItem } from '../../../bin/verify/item.ts';
import type { Sampling } from '../../../bin/verify/pick.ts';
import { openStoredRaster } from '../../../bin/verify/stored-raster.ts';
import { verify } from '../../../bin/verify/verify.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { packFolder } from '../../../engine/model/pack/pack-folder.ts';
import { itemOfResult } from '../../../lambdas/api/operations/job/item-of-result.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { entryOf } from '../../../lambdas/domain/job/job-requests.ts';
import { partsIn, propertiesIn } from '../../../lambdas/domain/job/job-text.ts';
import { jobDetail } from '../../../lambdas/domain/job/reading/job-view.ts';
import { readResult } from '../../../lambdas/domain/job/reading/read-result.ts';
import { RETENTION_DAYS } from '../../../lambdas/domain/limits.ts';
import { inMemoryResultFiles } from '../../../local/in-memory/rasters.ts';
import { LOCAL_FOLDER } from '../../../local/paths.ts';
import { aBox } from '../../support/box.ts';
import { aDeployment, posted } from '../../support/domain/deployment.ts';
import { FIELD, FIELD_AND_SPECK, FLOOD_PLAIN, TINY } from '../../support/domain/polygons.ts';
import { runJob } from '../../support/domain/run.ts';
import { aManifest, asJson } from '../../support/model/builders.ts';
import { aGeoTiff } from '../../support/model/geotiff-file.ts';

const PYTHON = join(LOCAL_FOLDER, 'venv', 'bin', 'python');
const MEUSE = 'models/meuse-soc';

const folder = mkdtempSync(join(tmpdir(), 'soil-batch-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a result that the service's own steps made, as a client would download them. */
async function madeResult(name: string, polygon: unknown, pack = MEUSE) {
  const loaded = await loadPack(packFolder(pack));
  const deployment = aDeployment([loaded]);
  const batch = await posted(deployment, [{ polygon, year: 2024 }]);
  const { batchId, tenant } = batch;
  expect((await runJob(deployment, batchId)).kind).toBe('assembled');
  const result = await readResult(
    { ...deployment, retentionDays: RETENTION_DAYS },
    tenant,
    batchId,
    jobIdOf(batchId, 0),
  );
  if (result.kind !== 'result') throw new Error(result.kind);
  const resultFiles = inMemoryResultFiles(deployment.rasters.read);
  const { jobRequests, catalogue } = deployment;
  const entry = await entryOf(jobRequests, batchId, 0);
  const text = await jobRequests.job(batchId, entry);
  const parts = partsIn(text);
  const detail = jobDetail(batch, 0, entry, result.record, propertiesIn(text, parts), null);
  const item = await itemOfResult(
    { catalogue: async () => catalogue, resultFiles },
    { result, detail, text, parts },
    'https://soil.example',
  );
  const { files, href } = resultFiles.open(batchId, result.jobId);
  const paths = { item: join(folder, `${name}.json`), raster: join(folder, `${name}.tif`) };
  writeFileSync(paths.item, String(item));
  writeFileSync(paths.raster, await files.read(href));
  return paths;
}

type Files = Awaited<ReturnType<typeof madeResult>>;

async function verification(files: Files, pack = MEUSE, sampling: Partial<Sampling> = {}) {
  const item = await readItem(files.item, null);
  const raster = await openStoredRaster({ file: files.raster });
  const opened = await findPack(item.model, pack);
  return verify(item, raster, opened, { cells: 100, seed: 7, ...sampling });
}

it('an Item larger than any of the service is not read to its end', async () => {
  const chunk = ' '.repeat(1_000_000);
  let sent = 0;
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/geo+json');
    const send = () => {
      sent += 1;
      // Ends a test that reads everything.
      if (sent === 200) response.end();
      else response.write(chunk, send);
    };
    send();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const item = `http://127.0.0.1:${port}/v1/batch/b/jobs/j/item`;
    await expect(readItem(item, apiOf(item, 'key'))).rejects.toThrow(/more than \d+ bytes/);
    expect(sent).toBeLessThan(200);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const changedIn = ({ checks }: Awaited<ReturnType<typeof verification>>) =>
  checks.filter(({ state }) => state === 'changed').map(({ what }) => what);

/** A copy of the pack in which one file is another. */
function packWith(name: string, file: string, change: (bytes: Buffer) => Buffer | string): string {
  const copy = join(folder, name);
  cpSync(MEUSE, copy, { recursive: true });
  writeFileSync(join(copy, file), change(readFileSync(join(copy, file))));
  return copy;
}

/** Replaces one stored number by the next one. */
function tamper(raster: string, column: number, row: number, band: number): string {
  const tampered = raster.replace('.tif', `-${column}-${row}.tif`);
  cpSync(raster, tampered);
  const script = `
import numpy, rasterio, sys
with rasterio.open(sys.argv[1], "r+", IGNORE_COG_LAYOUT_BREAK="YES") as file:
    column, row, band = map(int, sys.argv[2:])
    cells = file.read(band)
    cells[row, column] = numpy.nextafter(cells[row, column], numpy.float32(numpy.inf))
    file.write(cells, band)
`;
  execFileSync(PYTHON, ['-c', script, tampered, ...[column, row, band].map(String)]);
  return tampered;
}

/** The cell in the middle of the first row with a cell of the polygon. */
async function firstCellInside({ raster }: Files) {
  const { width, height, bands, read } = await openStoredRaster({ file: raster });
  const cells = await read({ col: 0, row: 0, width, height });
  const row = Math.floor(height / 3);
  for (let column = 0; column < width; column += 1) {
    if (cells[(row * width + column) * bands] !== -9999) return { column, row };
  }
  throw new Error('no cell');
}

const GLOBAL = {
  ...aManifest().grid,
  crs: { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' },
  origin: [-180, 50] as [number, number],
  cell_size: 0.001,
  width: 360_000,
  height: 100_000,
};

const WIDE = { ...aManifest().grid, width: 200, height: 150, block_tiles: 2 as const };

/** A pack on a grid, with covariates that vary from cell to cell. */
function aPackFolder(
  name: string,
  grid: typeof GLOBAL | typeof WIDE,
  changes: NonNullable<Parameters<typeof aManifest>[0]>,
): string {
  const pack = mkdtempSync(join(folder, `${name}-`));
  const { width, height, origin, cell_size: cellSize, crs } = grid;
  const values = (value: (col: number, row: number) => number) =>
    aGeoTiff({
      width,
      height,
      origin: [origin[0] ?? 0, origin[1] ?? 0],
      cellSize,
      epsg: crs.epsg,
      values: Array.from({ length: width * height }, (_, i) =>
        value(i % width, Math.floor(i / width)),
      ),
    });
  cpSync('test/fixtures/onnx/forest.onnx', join(pack, 'forest.onnx'));
  writeFileSync(
    join(pack, 'slope.tif'),
    values((col, row) => 2 * Math.sin(col / 5 + row / 30)),
  );
  writeFileSync(
    join(pack, 'clay.tif'),
    values((_, row) => 2 * Math.cos(row / 7)),
  );
  writeFileSync(join(pack, 'manifest.json'), asJson(aManifest({ grid, ...changes })));
  return pack;
}

describe('the verification of a result', () => {
  let field: Files;
  let inside: { readonly column: number; readonly row: number };
  beforeAll(async () => {
    field = await madeResult('field', FIELD);
    inside = await firstCellInside(field);
  });

  it('finds every cell as it was predicted, and every other cell nodata', async () => {
    const found = await verification(field, MEUSE, { cells: 'all' });
    expect(changedIn(found)).toEqual([]);
    expect(found).toMatchObject({ verified: true, cells: { differences: [] } });
    expect(found.cells?.comparedInside).toBe(found.cells?.inside);
    expect(found.cells?.inside).toBeGreaterThan(100);
    expect(found.cells?.comparedOutside).toBe(found.cells?.outside);
    const same = found.checks.filter(({ state }) => state === 'same').map(({ what }) => what);
    expect(same).toEqual([
      'job of the raster',
      'size of the raster',
      'polygon',
      'polygon as sent',
      'digests of the model in the Item',
      'manifest',
      'graph build/model.onnx',
      ...['river_distance', 'soil_class', 'flooding', 'oblique_ne', 'oblique_nw'].map((name) =>
        expect.stringContaining(`covariate ${name} (`),
      ),
      'place and size of the raster',
    ]);
    expect(found.version.predicted).toBe('1.2.3');
  });

  it('compares as many cells as asked, the same for the same seed', async () => {
    const found = await verification(field, MEUSE, { cells: 10 });
    expect(found).toMatchObject({
      verified: true,
      cells: { comparedInside: 10, comparedOutside: 10 },
    });
  });

  it('finds the cell with one bit changed', async () => {
    const { column, row } = inside;
    const raster = tamper(field.raster, column, row, 2);
    const found = await verification({ ...field, raster }, MEUSE, { cells: 'all' });
    expect(found.verified).toBe(false);
    expect(found.cells?.differences).toEqual([
      {
        where: 'inside',
        column,
        row,
        lon: expect.closeTo(5.74, 1),
        lat: expect.closeTo(50.97, 1),
        expected: expect.any(Array),
        found: expect.any(Array),
      },
    ]);
    const [{ expected = [], found: stored = [] } = {}] = found.cells?.differences ?? [];
    expect(stored.map((number, band) => number === expected[band])).toEqual([true, false, true]);
  });

  it('finds a number in a cell outside the polygon', async () => {
    const raster = tamper(field.raster, 0, 0, 1);
    const found = await verification({ ...field, raster }, MEUSE, { cells: 'all' });
    expect(found.cells?.differences).toMatchObject([
      { where: 'outside', column: 0, row: 0, expected: [-9999, -9999, -9999] },
    ]);
  });

  it('names a graph that is another', async () => {
    const pack = packWith('other-graph', 'build/model.onnx', (bytes) => {
      // Inside the values of the leaves, which are most of the file's end.
      const at = bytes.length - 4_000;
      bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
      return bytes;
    });
    const found = await verification(field, pack);
    expect(found.verified).toBe(false);
    expect(changedIn(found)).toContain('graph build/model.onnx');
  });

  it('names a graph that cannot be read', async () => {
    const pack = packWith('no-graph', 'build/model.onnx', (bytes) => bytes.subarray(0, 1_000));
    const found = await verification(field, pack);
    expect(changedIn(found)).toEqual(['graph build/model.onnx', 'prediction']);
    expect(found).toMatchObject({ verified: false, cells: null });
  });

  it('names a covariate that is another, and the cells that change', async () => {
    const covariates = 'build/covariates';
    const other = readFileSync(join(MEUSE, covariates, 'oblique_ne.tif'));
    const pack = packWith('other-covariate', `${covariates}/oblique_nw.tif`, () => other);
    const found = await verification(field, pack);
    expect(changedIn(found)).toEqual([`covariate oblique_nw (${covariates}/oblique_nw.tif)`]);
    expect(found.cells?.differences.length).toBeGreaterThan(0);
  });

  it('names a manifest that is another, although it predicts the same', async () => {
    const pack = packWith('other-manifest', 'manifest.json', (bytes) =>
      bytes.toString().replace('"title": "', '"title": "New '),
    );
    const found = await verification(field, pack);
    expect(changedIn(found)).toEqual(['manifest']);
    expect(found).toMatchObject({ verified: false, cells: { differences: [] } });
  });

  it('names a polygon that is another', async () => {
    const item = JSON.parse(readFileSync(field.item, 'utf8'));
    item.geometry.coordinates[0][1][0] += 0.000_2;
    const changed = join(folder, 'other-polygon.json');
    writeFileSync(changed, JSON.stringify(item));
    const found = await verification({ ...field, item: changed }, MEUSE, { cells: 'all' });
    expect(changedIn(found)).toContain('polygon');
    expect(found.verified).toBe(false);
  });

  it('names the raster of another job', async () => {
    const { raster } = await madeResult('tiny', TINY);
    const found = await verification({ ...field, raster });
    expect(changedIn(found)).toEqual(
      expect.arrayContaining(['job of the raster', 'polygon as sent']),
    );
    expect(found).toMatchObject({ verified: false, cells: null });
  });

  it.each([
    { title: 'no cell centre', polygon: TINY },
    { title: 'a part with no cell centre', polygon: FIELD_AND_SPECK },
    { title: 'cells without covariates', polygon: FLOOD_PLAIN, cells: 500 },
    { title: 'a Feature around it', polygon: { type: 'Feature', geometry: FIELD, properties: {} } },
  ])('verifies a polygon with $title', async ({ title, polygon, cells = 'all' as const }) => {
    const found = await verification(await madeResult(title, polygon), MEUSE, { cells });
    expect(changedIn(found)).toEqual([]);
    expect(found).toMatchObject({ verified: true, cells: { differences: [] } });
  });

  it('verifies integers with scale and offset in a sparse raster across the antimeridian', async () => {
    const [first, second] = aManifest().bands;
    if (first === undefined || second === undefined) throw new Error('two bands');
    const coarse = { ...GLOBAL, cell_size: 1, width: 360, height: 100 };
    const pack = aPackFolder('global', coarse, {
      grid: GLOBAL,
      covariates: aManifest().covariates.map((covariate) =>
        covariate.kind === 'raster' ? { ...covariate, resampling: 'bilinear' } : covariate,
      ),
      raster: { sample_type: 'int16', sparse: true },
      bands: [
        { ...first, scale: 0.01 },
        { ...second, scale: 0.001, offset: 5 },
      ],
      nodata: -32_768,
      coverage: aBox(-180, -50, 180, 50),
    });
    const parts = [aBox(179.95, -17, 180, -16.96), aBox(-180, -17, -179.97, -16.98)];
    const polygon = {
      type: 'MultiPolygon',
      coordinates: parts.map(({ coordinates }) => coordinates),
    };
    const files = await madeResult('antimeridian', polygon, pack);
    const found = await verification(files, pack, { cells: 'all' });
    expect(changedIn(found)).toEqual([]);
    expect(found).toMatchObject({ verified: true, cells: { inside: 50 * 40 + 30 * 20 } });
  });

  it('verifies a graph that runs on ONNX Runtime, for few cells of several tiles', async () => {
    const pack = aPackFolder('network', WIDE, {
      graph: { href: 'forest.onnx', format: 'onnx', targets: 1 },
      bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
      coverage: aBox(3.0001, 50.53, 3.03, 50.5517),
    });
    cpSync('test/fixtures/models/sklearn-network.onnx', join(pack, 'forest.onnx'));
    const files = await madeResult('network', aBox(3.0003, 50.541, 3.026, 50.551), pack);
    const found = await verification(files, pack, { cells: 20 });
    expect(changedIn(found)).toEqual([]);
    expect(found).toMatchObject({ verified: true, cells: { comparedInside: 20 } });
  });
});
