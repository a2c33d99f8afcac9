import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Field, Position } from '../../../cli/src/fields/field-collection.ts';
import { readFields } from '../../../cli/src/fields/read-fields.ts';
import { type Corner, makeFields, problemOf } from '../../support/fields.ts';

const METRES_PER_DEGREE = 111_320;

const { folder, corners } = makeFields();
const at = (name: string) => join(folder, name);
const codes = [28992, 27700, 31370, 25832, 3857];

afterAll(() => rmSync(folder, { recursive: true }));

/** The farthest that a corner of the field lies from the nearest of PROJ's. */
function offByMetres({ geometry }: Field, expected: readonly Corner[]): number {
  if (geometry === null) return Number.POSITIVE_INFINITY;
  const rings = geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
  const distances = rings
    .flat()
    .map((corner) => Math.min(...expected.map((one) => metres(corner, one))));
  return Math.max(...distances);
}

function metres([lon, lat]: Position, [otherLon, otherLat]: Corner): number {
  const parallel = Math.cos((lat * Math.PI) / 180);
  return METRES_PER_DEGREE * Math.hypot((lon - otherLon) * parallel, lat - otherLat);
}

/** Each system in one format, and each format in one system. */
const FILES = [
  ...codes.map((code) => [code, 'gpkg'] as const),
  ...['shp', 'fgb', 'geojson'].map((ending) => [28992, ending] as const),
];

describe('a file', () => {
  it.concurrent.each(FILES)('%i.%s is within 0.1 m of PROJ', async (code, ending) => {
    const { crs, features, notes } = await readFields(at(`${code}.${ending}`));
    expect(crs.code).toBe(`EPSG:${code}`);
    expect(notes).toEqual([]);
    // FlatGeobuf orders features by place.
    const byId = new Map(features.map((field) => [field.properties['id'], field]));
    expect([...byId.keys()].sort()).toEqual(['veld 1', 'veld 2', 'veld 3']);
    for (const [index, expected] of (corners[code] ?? []).entries()) {
      const field = byId.get(`veld ${index + 1}`);
      expect(field?.properties).toMatchObject({ id: `veld ${index + 1}`, area: 1.5 * index });
      expect(field && offByMetres(field, expected)).toBeLessThan(0.1);
    }
  });
});

describe.concurrent('a file of fields', () => {
  it('is in the examples', async () => {
    const { crs, features, layer } = await readFields('examples/fields.gpkg');
    expect({ code: crs.code, layer }).toEqual({ code: 'EPSG:28992', layer: 'fields' });
    const expected = { fid: 1, id: 'Stein 1', crop: 'grass', area_ha: 12.42 };
    expect(features.map(({ properties }) => properties)[0]).toEqual(expected);
    expect(features).toHaveLength(8);
  });

  it('keeps the types of its attributes, and the key of a GeoPackage', async () => {
    const { attributes, format, layer } = await readFields(at('28992.gpkg'));
    expect({ format, layer }).toEqual({ format: 'GeoPackage', layer: '28992' });
    expect(attributes).toEqual([
      { name: 'fid', type: 'Integer64', subtype: null },
      { name: 'id', type: 'String', subtype: null },
      { name: 'area', type: 'Real', subtype: null },
    ]);
  });

  it('with several layers needs the name of one', async () => {
    expect(await problemOf(at('layers.gpkg'))).toMatch(
      /^choose-layer: layers.gpkg has 2 layers: "fields 2021", "trial"\. .*--layer/,
    );
    expect(await problemOf(at('layers.gpkg'), { layer: 'fields 2022' })).toMatch(
      /^choose-layer: layers.gpkg has no layer "fields 2022"/,
    );
    const { features, layer } = await readFields(at('layers.gpkg'), { layer: 'trial' });
    expect({ layer, count: features.length }).toEqual({ layer: 'trial', count: 1 });
  });

  it('may have multipolygons', async () => {
    const { features } = await readFields(at('multi.gpkg'));
    expect(features.map(({ geometry }) => geometry?.type)).toEqual(['MultiPolygon']);
  });

  it('loses its heights, with a note', async () => {
    const { features, notes } = await readFields(at('heights.gpkg'));
    expect(notes).toEqual(['Heights (Z) are not used: the fields are two-dimensional.']);
    const positions = features.flatMap(({ geometry }) => geometry?.coordinates.flat(1) ?? []);
    expect(new Set(positions.map(({ length }) => length))).toEqual(new Set([2]));
  });

  it('may have a system with heights', async () => {
    const { crs, features } = await readFields(at('height-system.gpkg'));
    expect(crs.code).toBe('EPSG:7415');
    const [first] = features;
    expect(first && offByMetres(first, corners['28992']?.[0] ?? [])).toBeLessThan(0.1);
  });

  it.each([
    [
      'points.gpkg',
      'not-polygons: Every field must be a polygon, but of 1 features points.gpkg has 1 Point (feature 1).',
    ],
    [
      'mixed.gpkg',
      'not-polygons: Every field must be a polygon, but of 4 features mixed.gpkg has 1 Point (feature 4).',
    ],
    ['empty.gpkg', 'no-fields: empty.gpkg contains no fields.'],
  ])('%s is refused', async (name, problem) => {
    expect(await problemOf(at(name))).toBe(problem);
  });

  it('may have a field without geometry, whose job will fail', async () => {
    const { features } = await readFields(at('null.gpkg'));
    expect(features.map(({ geometry }) => geometry?.type)).toEqual([
      'Polygon',
      undefined,
      'Polygon',
    ]);
  });

  it.each(['no-crs.gpkg', 'no-crs.fgb', 'no-crs.shp', 'no-crs.csv'])(
    '%s needs to be told its system, which may not be another than the file has',
    async (name) => {
      expect(await problemOf(at(name))).toMatch(/^no-crs: .* does not name its coordinate.* --crs/);
      const { crs, features } = await readFields(at(name), { crs: 28992 });
      expect(crs.code).toBe('EPSG:28992');
      const ids = features.map((field) => Number(/\d/.exec(String(field.properties['id']))?.[0]));
      features.forEach((field, index) => {
        const expected = corners['28992']?.[(ids[index] ?? 0) - 1] ?? [];
        expect(offByMetres(field, expected)).toBeLessThan(0.1);
      });
      expect(await problemOf(at(name), { crs: 32755 })).toMatch(/^wrong-crs: In EPSG:32755, /);
    },
  );

  it('that names its system is not read in another', async () => {
    expect(await problemOf(at('28992.gpkg'), { crs: 31370 })).toMatch(
      /^wrong-crs: 28992\.gpkg says itself that it is in EPSG:28992/,
    );
    expect((await readFields(at('28992.gpkg'), { crs: 28992 })).features).toHaveLength(3);
  });

  it('of GeoJSON in metres is converted from the system that the user names', async () => {
    const written = (coordinates: readonly Position[]) => {
      const path = join(folder, 'metres.geojson');
      writeFileSync(path, JSON.stringify({ type: 'Polygon', coordinates: [coordinates] }));
      return path;
    };
    const inMetres = written([
      [181_000, 332_500],
      [181_200, 332_500],
      [181_200, 332_700],
      [181_000, 332_500],
    ]);
    const { crs, features } = await readFields(inMetres, { crs: 28992 });
    expect(crs.code).toBe('EPSG:28992');
    expect(features[0]?.geometry?.coordinates.flat(2).slice(0, 2)).toEqual([
      expect.closeTo(5.757, 2),
      expect.closeTo(50.982, 2),
    ]);
    expect(await problemOf(inMetres, { crs: 999999 })).toBe(
      'unknown-crs: EPSG:999999 is not known.',
    );
    const inDegrees = written([
      [5.75, 50.97],
      [5.76, 50.97],
      [5.76, 50.98],
      [5.75, 50.97],
    ]);
    expect(await problemOf(inDegrees, { crs: 28992 })).toMatch(/^wrong-crs: .* in degrees/);
    expect((await readFields(inDegrees, { crs: 4326 })).features).toHaveLength(1);
  });

  it('outside the area of its system is refused for that reason', async () => {
    expect(await problemOf(at('outside.gpkg'))).toMatch(
      /^wrong-crs: outside\.gpkg is in EPSG:27700, .*latitude 51\.\d+\. .*\(.*Britain/,
    );
  });

  it('may be KML or CSV with WKT', async () => {
    const kml = await readFields(at('fields.kml'));
    expect(kml).toMatchObject({ format: 'KML', crs: { code: 'EPSG:4326' }, notes: [] });
    expect(kml.features.map(({ properties }) => properties['Name'])).toEqual(['veld 1', 'veld 2']);
    const csv = await readFields(at('no-crs.csv'), { crs: 28992 });
    expect(csv).toMatchObject({ format: 'CSV', layer: null });
    expect(csv.features[0]?.properties).toEqual({ id: 'veld 1', area: '0' });
    expect(await problemOf(at('table.csv'))).toMatch(/^no-fields: .* no column of polygons/);
  });

  it.each(['bessel.shp', 'grs80.shp'])('on an unknown datum (%s) is refused', async (name) => {
    expect(await problemOf(at(name))).toMatch(
      /^unknown-crs: .*Somewhere, cannot be converted to WGS 84: no transformation of its datum/,
    );
  });

  it.each(['cp1251.shp', 'utf8.shp'])('in another encoding (%s) keeps its texts', async (name) => {
    const { features } = await readFields(at(name));
    const soils = features.map(({ properties }) => properties['soil']);
    expect(soils).toEqual(['Чернозём', 'Солонец', 'поле']);
  });
});
