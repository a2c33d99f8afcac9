import { describe, expect, it } from 'vitest';
import { FileRejected } from '../../../console/files/file-fields.ts';
import { readGeoJson } from '../../../console/files/geojson.ts';
import { typedFields } from '../../../console/files/typed-fields.ts';

const OUTLINE = '[[[5,50],[6,50],[6,51],[5,50]]]';

function feature(properties: string, coordinates = OUTLINE): string {
  const geometry = `{"type":"Polygon","coordinates":${coordinates}}`;
  return `{"type":"Feature","properties":${properties},"geometry":${geometry}}`;
}

function namesOf(text: string): readonly (string | null)[] {
  return readGeoJson('fields.geojson', text).fields.map(({ name }) => name);
}

function polygonOf(geometry: unknown): readonly (readonly (readonly number[])[])[] | undefined {
  return Object(geometry).coordinates;
}

function messageOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('the reference system that GeoJSON names', () => {
  const RD = '[[[181000,332500],[181200,332500],[181200,332700],[181000,332500]]]';
  const inSystem = (name: string) => {
    const crs = JSON.stringify({ type: 'name', properties: { name } });
    const text = `{"type":"FeatureCollection","crs":${crs},"features":[${feature('{}', RD)}]}`;
    const [field] = readGeoJson('fields.geojson', text).fields;
    return polygonOf(field?.polygon ?? field?.malformed)
      ?.flat(2)
      .slice(0, 2);
  };

  it.each(['EPSG:28992', 'urn:ogc:def:crs:EPSG::28992', 'urn:ogc:def:crs:EPSG:9.9.1:28992'])(
    'is %s: positions are converted',
    (name) => {
      expect(inSystem(name)?.map((degrees) => Number(degrees).toFixed(3))).toEqual([
        '5.757',
        '50.982',
      ]);
    },
  );

  it.each(['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326'])(
    'is %s: they stay, and are not drawn',
    (name) => {
      expect(inSystem(name)).toEqual([181_000, 332_500]);
    },
  );

  it.each(['EPSG:27700', 'urn:ogc:def:crs:EPSG::1289928992', 'RD New, EPSG'])(
    'is %s: the file is refused',
    (name) => {
      expect(messageOf(() => inSystem(name))).toContain(`${name}, which this page cannot convert`);
    },
  );
});

describe('hostile GeoJSON', () => {
  it('has a position at infinity: the service gets null, and the field is not drawn', () => {
    const infinite = OUTLINE.replace('51', '1e999');
    const { fields, remarks } = readGeoJson('fields.geojson', feature('{}', infinite));
    expect(JSON.stringify(fields[0]?.malformed)).toContain('[6,null]');
    expect(fields[0]?.polygon).toBeNull();
    expect(remarks).toMatchObject([{ kind: 'not_finite' }]);
  });

  it.each([
    ['a text', JSON.stringify('x'.repeat(20_000_000))],
    ['a list', '[{"name": "no"}]'],
    ['null', 'null'],
  ])('has no name in properties that are %s', (_, properties) => {
    expect(namesOf(feature(properties))).toEqual([null]);
  });

  it('has only a long text', () => {
    const text = JSON.stringify('x'.repeat(20_000_000));
    expect(() => readGeoJson('fields.geojson', text)).toThrow(FileRejected);
  });

  it('has properties with the names of a prototype', () => {
    const properties = '{"__proto__": {"name": "no"}, "constructor": "no", "NAME": "yes"}';
    expect(namesOf(feature(properties))).toEqual(['yes']);
  });

  it.each([
    ['x', 'x'.repeat(255)],
    ['x😀', `${'x😀'.repeat(127)}x`],
    ['😀', '😀'.repeat(255)],
  ])('has a name that is too long, of %s: it is cut between characters', (part, name) => {
    expect(namesOf(feature(JSON.stringify({ name: part.repeat(400) })))).toEqual([name]);
  });

  it.each([
    ['deep', '['.repeat(5_000_000), /nests arrays and objects more than 64 levels deep/],
    ['empty objects', `[${'{},'.repeat(1_000_000)}{}]`, /has more than 5,000 fields/],
  ])('is refused before it is parsed: %s', (_, text, message) => {
    expect(messageOf(() => readGeoJson('fields.geojson', text))).toMatch(message);
  });

  it('names its reference system in megabytes: the message is short', () => {
    const crs = JSON.stringify({ properties: { name: 'x'.repeat(1_000_000) } });
    const message = messageOf(() =>
      readGeoJson('fields.geojson', `{"type":"Feature","crs":${crs}}`),
    );
    expect(message).toMatch(/uses the coordinate reference system x+$/);
    expect(message.length).toBeLessThan(1_000);
  });
});

it('says at once that a line of spaces is no corner', () => {
  const line = `5.1${' '.repeat(1_000_000)}x`;
  expect(messageOf(() => typedFields(line))).toContain('Line 1 is no corner');
});

describe('the attributes of a field', () => {
  it('are its plain values', () => {
    const properties = '{"parcel":" A 7 ","crop":"grass","area":1.5,"nested":{"a":1},"none":null}';
    const { fields } = readGeoJson('fields.geojson', feature(properties));
    expect(fields[0]?.attributes).toEqual({ parcel: ' A 7 ', crop: 'grass', area: 1.5 });
  });
});
