import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { FileRefused } from '../../../console/files/file-refused.ts';
import { readFile } from '../../../console/files/read-file.ts';
import { type MadeFields, makeFields } from '../cli/fields.ts';

/** Systems that the page converts; the others of `make_fields.py` it must refuse. */
const CONVERTED = ['28992', '31370', '25832', '3857'] as const;
const METRES_PER_DEGREE = 111_320;

let made: MadeFields;
beforeAll(() => {
  made = makeFields();
});

function fileOf(name: string): File {
  return new File([readFileSync(join(made.folder, name))], name);
}

/** The parts of a Shapefile, in an archive as people send it. */
function zipped(stem: string, endings = ['shp', 'shx', 'dbf', 'prj']): File {
  const parts = endings.map((ending) => {
    const content = new Uint8Array(readFileSync(join(made.folder, `${stem}.${ending}`)));
    return [`fields/${stem}.${ending}`, content] as const;
  });
  return new File([zipSync(Object.fromEntries(parts))], `${stem}.zip`);
}

async function refusalOf(file: File): Promise<string> {
  try {
    await readFile(file);
    return 'none';
  } catch (error) {
    if (error instanceof FileRefused) return error.message;
    throw error;
  }
}

describe.each([
  ['a GeoPackage', (code: string) => fileOf(`${code}.gpkg`)],
  ['a zipped Shapefile', (code: string) => zipped(code)],
])('%s', (_, file) => {
  it.each(CONVERTED)('in EPSG:%s is read to half a metre of PROJ', async (code) => {
    const { fields, skipped } = await readFile(file(code));
    expect(skipped).toBe(0);
    expect(fields.map(({ name }) => name)).toEqual(['veld 1', 'veld 2', 'veld 3']);
    fields.forEach(({ polygon }, index) => {
      const ring: readonly (readonly number[])[] =
        polygon.type === 'Polygon' ? (polygon.coordinates[0] ?? []) : [];
      const corners = [...(made.corners[code]?.[index] ?? [])];
      expect(ring).toHaveLength(corners.length);
      for (const [lon = 0, lat = 0] of ring) {
        const distances = corners.map(([otherLon, otherLat]) =>
          Math.hypot((lon - otherLon) * Math.cos((lat * Math.PI) / 180), lat - otherLat),
        );
        expect(Math.min(...distances) * METRES_PER_DEGREE).toBeLessThan(0.5);
      }
    });
  });

  it('in a system that needs a grid of shifts is refused, not guessed', async () => {
    expect(await refusalOf(file('27700'))).toMatch(/cannot convert exactly.*CLI/);
  });
});

describe('a file that cannot be read', () => {
  it.each([
    ['no-crs.gpkg', /coordinate reference system/],
    ['height-system.gpkg', /cannot convert exactly/],
    ['layers.gpkg', /has 2 layers/],
    ['points.gpkg', /has no polygons/],
    ['empty.gpkg', /has no polygons/],
    ['28992.fgb', /not a GeoJSON, GeoPackage or zipped Shapefile/],
    ['28992.dbf', /one part of a Shapefile.*\.zip/],
    ['28992.geojson', /uses the coordinate reference system .*28992/],
  ])('%s is explained', async (name, message) => {
    expect(await refusalOf(fileOf(name))).toMatch(message);
  });

  it.each([
    ['a GeoPackage', 'fields.gpkg'],
    ['an archive', 'fields.zip'],
    ['GeoJSON', 'fields.geojson'],
  ])('is explained when it only claims to be %s', async (_, name) => {
    const file = new File(['PK\u0003\u0004 nothing of the sort'], name);
    expect(await refusalOf(file)).toMatch(/damaged|not valid JSON/);
  });

  it('is a Shapefile without its .prj', async () => {
    expect(await refusalOf(zipped('28992', ['shp', 'shx', 'dbf']))).toMatch(/has no \.prj file/);
  });

  it('is an archive without a Shapefile', async () => {
    const file = new File([zipSync({ 'readme.txt': new Uint8Array(1) })], 'fields.zip');
    expect(await refusalOf(file)).toMatch(/contains no Shapefile/);
  });
});

describe('a file with more than polygons', () => {
  it.each([
    ['mixed.gpkg', 3, 1],
    ['null.gpkg', 2, 1],
    ['multi.gpkg', 1, 0],
    ['heights.gpkg', 3, 0],
  ])('%s gives %i fields and leaves out %i', async (name, fields, skipped) => {
    const read = await readFile(fileOf(name));
    expect([read.fields.length, read.skipped]).toEqual([fields, skipped]);
  });
});
