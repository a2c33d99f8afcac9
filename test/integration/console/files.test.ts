import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import initSqlJs from 'sql.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FileFault, FileRejected } from '../../../console/files/file-fields.ts';
import { MOST_FIELDS, MOST_VERTICES } from '../../../console/files/file-limits.ts';
import { readFile } from '../../../console/files/read-file.ts';
import { type MadeFields, makeFields } from '../../support/fields.ts';

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
  ['a zipped Shapefile', (code: string) => zipped(code)],
])('%s', (_, file) => {
  it.each(CONVERTED)('in EPSG:%s is read to half a metre of PROJ', async (code) => {
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
  });

  it('in a system that needs a grid of shifts is refused, not guessed', async () => {
    expect(await refusalOf(file('27700'))).toBe('crs_unusable');
  });
});

describe('a file that does not say all', () => {
  const RD = {
    type: 'Polygon',
    coordinates: [
      [
        [181000, 332500],
        [181200, 332500],
        [181200, 332700],
      ],
    ],
  };

  it.each([
    ['a Shapefile without .prj', () => zipped('28992', ['shp', 'shx', 'dbf'])],
    ['a GeoPackage without a system', () => fileOf('no-crs.gpkg')],
    ['GeoJSON in metres', () => new File([JSON.stringify(RD)], 'rd.geojson')],
  ])('is read once its user names the system: %s', async (_, file) => {
    await expect(readFile(file())).rejects.toMatchObject({ question: { kind: 'crs' } });
    const { fields } = await readFile(file(), { crs: 28992 });
    expect(fields[0]?.polygon?.coordinates.flat(2).slice(0, 2)).toEqual([
      expect.closeTo(5.757, 2),
      expect.closeTo(50.98, 2),
    ]);
    for (const crs of [32755, 27700]) {
      await expect(readFile(file(), { crs })).rejects.toMatchObject({ fault: 'crs_unusable' });
    }
  });

  it('is read once its user chooses a layer', async () => {
    const question = { kind: 'layer', layers: ['fields 2021', 'trial'] };
    await expect(readFile(fileOf('layers.gpkg'))).rejects.toMatchObject({ question });
    const { fields } = await readFile(fileOf('layers.gpkg'), { layer: 'trial' });
    expect(fields).toHaveLength(1);
    const { fields: zipped } = await readFile(fileOf('two.zip'), { layer: '25832' });
    expect(zipped).toHaveLength(3);
  });
});

it('has a layer whose name has a capital letter beyond ASCII, whose case SQLite does not fold', async () => {
  expect((await readFile(fileOf('capital.gpkg'))).fields).toHaveLength(3);
});

describe('a file that cannot be read', () => {
  it.each([
    ['height-system.gpkg', 'crs_unusable'],
    ['points.gpkg', 'no_polygons'],
    ['empty.gpkg', 'no_polygons'],
    ['28992.fgb', 'unknown_format'],
    ['28992.dbf', 'unknown_format'],
  ])('%s is refused: %s', async (name, fault) => {
    expect(await refusalOf(fileOf(name))).toBe(fault);
  });

  it.each([
    ['a GeoPackage', 'fields.gpkg'],
    ['an archive', 'fields.zip'],
    ['GeoJSON', 'fields.geojson'],
    ['KML', 'fields.kml'],
  ])('is explained when it only claims to be %s', async (_, name) => {
    const file = new File(['PK\u0003\u0004 nothing of the sort'], name);
    expect(await refusalOf(file)).toBe('damaged');
  });

  it('is an archive without a Shapefile', async () => {
    const file = new File([zipSync({ 'readme.txt': new Uint8Array(1) })], 'fields.zip');
    expect(await refusalOf(file)).toBe('unknown_format');
  });
});

describe('a GeoPackage that could compute without end', () => {
  const ENDLESS = `WITH RECURSIVE endless(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM endless)`;

  /** The GeoPackage of another test, changed. */
  async function changed(sql: string): Promise<File> {
    const { Database } = await initSqlJs();
    const database = new Database(readFileSync(join(made.folder, '28992.gpkg')));
    const [[layer = ''] = []] =
      database.exec('SELECT table_name FROM gpkg_contents')[0]?.values ?? [];
    // Triggers of GeoPackages need functions that only GDAL has.
    const triggers = database.exec("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    for (const [name] of triggers[0]?.values ?? []) database.run(`DROP TRIGGER "${name}"`);
    database.run(sql.replaceAll('LAYER', `"${layer}"`));
    return new File([new Uint8Array(database.export())], 'fields.gpkg');
  }

  it.each([
    [
      'a layer that is a view',
      `DROP TABLE LAYER; CREATE VIEW LAYER AS ${ENDLESS} SELECT * FROM endless`,
    ],
    ['a column that is generated', 'ALTER TABLE LAYER ADD COLUMN slow AS (fid + 1)'],
  ])('is refused for %s', async (_, sql) => {
    expect(await refusalOf(await changed(sql))).toBe('not_read');
  });

  it('is refused for metadata that is a view', async () => {
    const sql = `DROP TABLE gpkg_contents; CREATE VIEW gpkg_contents AS ${ENDLESS} SELECT fid AS table_name, fid AS data_type FROM endless`;
    expect(await refusalOf(await changed(sql))).toBe('damaged');
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
  ])('is refused for its %s', async (_, text) => {
    expect(await refusalOf(new File([text], 'fields.geojson'))).toBe('too_large');
  });
});
