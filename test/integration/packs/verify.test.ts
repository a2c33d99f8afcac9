import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStoredRaster } from '../../../bin/verify/stored-raster.ts';
import { LOCAL_FOLDER } from '../../../local/paths.ts';
import { FIELD, TINY } from '../../support/domain/polygons.ts';
import { type Files, MEUSE, makeFolder, makeResult, verifyFiles } from './verified-result.ts';

const folder = makeFolder();

const PYTHON = join(LOCAL_FOLDER, 'venv', 'bin', 'python');

function copyPack(name: string, file: string, change: (bytes: Buffer) => Buffer | string): string {
  const copy = join(folder, name);
  cpSync(MEUSE, copy, { recursive: true });
  writeFileSync(join(copy, file), change(readFileSync(join(copy, file))));
  return copy;
}

/** Replaces a stored number with the next larger one. */
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

async function findFirstCellInside({ raster }: Files) {
  const { width, height, bands, readWindow } = await openStoredRaster({ file: raster });
  const cells = await readWindow({ col: 0, row: 0, width, height });
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
    field = await makeResult(folder, 'field', FIELD);
    inside = await findFirstCellInside(field);
  });

  it('confirms every cell of the polygon, and nodata in all other cells', async () => {
    const found = await verifyFiles(field);
    expect(found).toMatchObject({
      verified: true,
      changed: [],
      cells: { differing: 0, first: [] },
      version: { predicted: '1.2.3' },
    });
    expect(found.cells?.inside).toBeGreaterThan(100);
    expect(found.cells?.compared).toBeGreaterThan(found.cells?.inside ?? 0);
  });

  it('finds a cell whose value was replaced by the next larger float', async () => {
    const { column, row } = inside;
    const raster = tamper(field.raster, column, row, 2);
    const found = await verifyFiles({ ...field, raster });
    expect(found).toMatchObject({ verified: false, changed: [], cells: { differing: 1 } });
    const [difference] = found.cells?.first ?? [];
    expect(difference).toMatchObject({ column, row });
    const { expected = [], found: stored = [] } = difference ?? {};
    expect(stored.map((number, band) => number === expected[band])).toEqual([true, false, true]);
  });

  it('finds a value in a cell outside the polygon', async () => {
    const raster = tamper(field.raster, 0, 0, 1);
    const found = await verifyFiles({ ...field, raster });
    expect(found.cells?.first).toMatchObject([
      { column: 0, row: 0, expected: [-9999, -9999, -9999] },
    ]);
  });

  it('names a changed graph', async () => {
    const pack = copyPack('other-graph', 'build/model.onnx', (bytes) => {
      // The change is in the leaves' values, which fill most of the file's end.
      const at = bytes.length - 4_000;
      bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
      return bytes;
    });
    const found = await verifyFiles(field, pack);
    expect(found).toMatchObject({ verified: false, changed: ['file build/model.onnx'] });
  });

  it('names an unreadable graph', async () => {
    const pack = copyPack('no-graph', 'build/model.onnx', (bytes) => bytes.subarray(0, 1_000));
    const found = await verifyFiles(field, pack);
    expect(found).toMatchObject({
      verified: false,
      changed: ['file build/model.onnx', expect.stringContaining('prediction')],
      cells: null,
    });
  });

  it('names a changed covariate, and the cells that differ', async () => {
    const covariates = 'build/covariates';
    const other = readFileSync(join(MEUSE, covariates, 'oblique_ne.tif'));
    const pack = copyPack('other-covariate', `${covariates}/oblique_nw.tif`, () => other);
    const found = await verifyFiles(field, pack);
    expect(found.changed).toEqual([`file ${covariates}/oblique_nw.tif`]);
    expect(found.cells?.differing).toBeGreaterThan(0);
  });

  it('names a changed manifest, even if the predictions are the same', async () => {
    const pack = copyPack('other-manifest', 'manifest.json', (bytes) =>
      bytes.toString().replace('"title": "', '"title": "New '),
    );
    const found = await verifyFiles(field, pack);
    expect(found).toMatchObject({
      verified: false,
      changed: ['file manifest.json'],
      cells: { differing: 0 },
    });
  });

  it('fails for a different polygon', async () => {
    const item = JSON.parse(readFileSync(field.item, 'utf8'));
    item.geometry.coordinates[0][1][0] += 0.000_2;
    const other = join(folder, 'other-polygon.json');
    writeFileSync(other, JSON.stringify(item));
    expect((await verifyFiles({ ...field, item: other })).verified).toBe(false);
  });

  it('reports a raster of another job', async () => {
    const { raster } = await makeResult(folder, 'tiny', TINY);
    const found = await verifyFiles({ ...field, raster });
    expect(found.changed).toContainEqual(expect.stringMatching(/^the raster belongs to job /));
    expect(found).toMatchObject({ verified: false, cells: null });
  });
});
