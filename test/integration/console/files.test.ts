import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import initSqlJs from 'sql.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FileFault, FileRejected } from '../../../console/files/file-fields.ts';
import { MOST_FIELDS, MOST_VERTICES } from '../../../console/files/file-limits.ts';
import { readFile } from '../../../console/files/read-file.ts';
import { type MadeFields, makeFields } from '../../support/fields.ts';

const CONVERTED = ['28992', '31370', '25832', '3857'] as const;
const METRES_PER_DEGREE = 111_320;

let made: MadeFields;
beforeAll(() => {
  made = makeFields();
});

function fileOf(name: string): File {
  return new File([readFileSync(join(made.folder, name))], name);
}

function zipShapefile(stem: string): File {
  const parts = ['shp', 'shx', 'dbf', 'prj'].map((ending) => {
    const content = new Uint8Array(readFileSync(join(made.folder, `${stem}.${ending}`)));
    return [`fields/${stem}.${ending}`, content] as const;
  });
  return new File([zipSync(Object.fromEntries(parts))], `${stem}.zip`);
}

async function refusalOf(file: File): Promise<FileFault | 'none'> {
  try {
    await readFile(file);
    return 'none';
  } catch (error) {
    if (error instanceof FileRejected) return error.fault;
    throw error;
  }
}

describe.each([
  ['GeoJSON', (code: string) => fileOf(`${code}.geojson`)],
  ['a GeoPackage', (code: string) => fileOf(`${code}.gpkg`)],
  ['a zipped Shapefile', (code: string) => zipShapefile(code)],
])('%s', (_, file) => {
  it.each(CONVERTED)(
    'in EPSG:%s is read with an error of at most half a metre, compared with PROJ',
    async (code) => {
      const { fields, leftOut } = await readFile(file(code));
      expect(leftOut).toEqual([]);
      expect(fields.map(({ name }) => name)).toEqual(['veld 1', 'veld 2', 'veld 3']);
      fields.forEach(({ polygon }, index) => {
        const ring: readonly (readonly number[])[] =
          polygon?.type === 'Polygon' ? (polygon.coordinates[0] ?? []) : [];
        const corners = [...(made.corners[code]?.[index] ?? [])];
        expect(ring).toHaveLength(corners.length);
        for (const [lon = 0, lat = 0] of ring) {
          const distances = corners.map(([otherLon, otherLat]) =>
            Math.hypot((lon - otherLon) * Math.cos((lat * Math.PI) / 180), lat - otherLat),
          );
          expect(Math.min(...distances) * METRES_PER_DEGREE).toBeLessThan(0.5);
        }
      });
    },
  );
});

describe('a file that cannot be read', () => {
  it.each([
    ['a GeoPackage', 'fields.gpkg'],
    ['an archive', 'fields.zip'],
    ['GeoJSON', 'fields.geojson'],
    ['KML', 'fields.kml'],
  ])('is explained if it only claims to be %s', async (_, name) => {
    const file = new File(['PK\u0003\u0004 nothing of the sort'], name);
    expect(await refusalOf(file)).toBe('damaged');
  });
});

describe('a GeoPackage that could compute endlessly', () => {
  const ENDLESS = `WITH RECURSIVE endless(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM endless)`;

  /**
   * Makes a changed copy of a GeoPackage that GDAL did not write, because GDAL's triggers need GDAL's
   * functions.
   */
  async function makeChangedGeoPackage(sql: string): Promise<File> {
    const { Database } = await initSqlJs();
    const path = join(import.meta.dirname, '../../fixtures/fields/long_ids.gpkg');
    const database = new Database(readFileSync(path));
    database.run(sql);
    return new File([new Uint8Array(database.export())], 'fields.gpkg');
  }

  it.each([
    [
      'a layer that is a view',
      `DROP TABLE fields; CREATE VIEW fields AS ${ENDLESS} SELECT * FROM endless`,
    ],
    ['a generated column', 'ALTER TABLE fields ADD COLUMN slow AS (fid + 1)'],
  ])('is rejected for %s', async (_, sql) => {
    expect(await refusalOf(await makeChangedGeoPackage(sql))).toBe('not_read');
  });

  it('is rejected if its metadata is a view', async () => {
    const sql = `DROP TABLE gpkg_contents; CREATE VIEW gpkg_contents AS ${ENDLESS} SELECT fid AS table_name, fid AS data_type FROM endless`;
    expect(await refusalOf(await makeChangedGeoPackage(sql))).toBe('damaged');
  });
});

describe('a file with more fields or corners than the page can show', () => {
  const SQUARE = '[[[5,50],[6,50],[6,51],[5,50]]]';
  const features = (amount: number, coordinates: string) => {
    const feature = `{"type":"Feature","geometry":{"type":"Polygon","coordinates":${coordinates}}}`;
    return `{"type":"FeatureCollection","features":[${Array(amount).fill(feature).join(',')}]}`;
  };

  it.each([
    ['fields', features(MOST_FIELDS + 1, SQUARE)],
    [
      'corners',
      features(
        1,
        `[[${Array(MOST_VERTICES + 1)
          .fill('[5,50]')
          .join(',')}]]`,
      ),
    ],
  ])('is rejected for its %s', async (_, text) => {
    expect(await refusalOf(new File([text], 'fields.geojson'))).toBe('too_large');
  });
});
