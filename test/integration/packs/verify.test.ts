import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiOf } from '../../../bin/verify/api.ts';
import { readItem } from '../../../bin/verify/item.ts';
import { openStoredRaster } from '../../../bin/verify/stored-raster.ts';
import { LOCAL_FOLDER } from '../../../local/paths.ts';
import { FIELD, TINY } from '../../support/domain/polygons.ts';
import {
  aFolder,
  changedIn,
  type Files,
  MEUSE,
  madeResult,
  verification,
} from './verified-result.ts';

const folder = aFolder();

const PYTHON = join(LOCAL_FOLDER, 'venv', 'bin', 'python');

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

describe('the verification of a result', () => {
  let field: Files;
  let inside: { readonly column: number; readonly row: number };
  beforeAll(async () => {
    field = await madeResult(folder, 'field', FIELD);
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
    const { raster } = await madeResult(folder, 'tiny', TINY);
    const found = await verification({ ...field, raster });
    expect(changedIn(found)).toEqual(
      expect.arrayContaining(['job of the raster', 'polygon as sent']),
    );
    expect(found).toMatchObject({ verified: false, cells: null });
  });
});
