import { describe, expect, it } from 'vitest';
import { kmlPlacemarks } from '../../../console/files/kml.ts';

const LIMITS = { features: 3, positions: 20 };

const ring = (x: number) => `<LinearRing><coordinates>
  ${x},50 ${x + 1},50,0 ${x + 1},51 ${x},50 </coordinates></LinearRing>`;
const polygon = (x: number, holes = '') =>
  `<Polygon><outerBoundaryIs>${ring(x)}</outerBoundaryIs>${holes}</Polygon>`;
const corners = (x: number) => [
  [x, 50],
  [x + 1, 50, 0],
  [x + 1, 51],
  [x, 50],
];

const featuresOf = (content: string) =>
  kmlPlacemarks(Buffer.from(`<kml xmlns:gx="g"><Document>${content}</Document></kml>`), LIMITS).map(
    ({ feature }) => feature,
  );

function geometryIn(content: string) {
  return featuresOf(`<Placemark>${content}</Placemark>`)[0]?.geometry;
}

describe('a Placemark', () => {
  it('has its name, description and data as attributes, numbers where its schema says so', () => {
    const features = featuresOf(`<name>Äcker</name>
      <Schema id="s"><SimpleField name="ha" type="double"/><SimpleField name="code" type="string"/></Schema>
      <Placemark><name> Äcker &amp; Co </name><description><![CDATA[<b>12</b>]]></description>
        <ExtendedData><Data name="crop"><displayName>Crop</displayName><value>wheat</value></Data>
          <SchemaData schemaUrl="#s"><SimpleData name="ha">1.5</SimpleData>
            <SimpleData name="code">007</SimpleData></SchemaData></ExtendedData>
        ${polygon(5)}</Placemark>`);
    expect(features).toEqual([
      {
        geometry: { type: 'Polygon', coordinates: [corners(5)] },
        properties: {
          Name: 'Äcker & Co',
          Description: '<b>12</b>',
          ...{ crop: 'wheat', ha: 1.5, code: '007' },
        },
      },
    ]);
  });

  it('may have no geometry, or an empty one', () => {
    expect(geometryIn('<name>a</name>')).toBeNull();
    expect(geometryIn('<Polygon/>')).toEqual({ type: 'Polygon', coordinates: [] });
  });

  it('has a polygon for each outer ring, so that none becomes a hole', () => {
    const second = `<outerBoundaryIs>${ring(7)}</outerBoundaryIs>`;
    expect(geometryIn(polygon(5, second))).toEqual({
      type: 'MultiPolygon',
      coordinates: [[corners(5)], [corners(7)]],
    });
  });

  it.each([
    ['5,50,', [5, 50]],
    ['5,50,nan', [5, 50]],
    ['5 , 50 , 12', [5, 50, 12]],
    ['5,', [5, Number.NaN]],
    ['5,50,6,51', [Number.NaN, Number.NaN]],
    ['5,50;', [5, Number.NaN]],
  ])('has for the position %j one of %j', (text, position) => {
    expect(geometryIn(`<Point><coordinates>${text}</coordinates></Point>`)?.coordinates).toEqual([
      position,
    ]);
  });
});

describe('a KML file', () => {
  it('may be in the encoding that it names', () => {
    const kml = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><kml><Placemark><name>Ä</name></Placemark></kml>`;
    const named = (content: Uint8Array) =>
      kmlPlacemarks(content, LIMITS)[0]?.feature.properties['Name'];
    expect(named(Buffer.from(kml('ISO-8859-1'), 'latin1'))).toBe('Ä');
    expect(() => named(Buffer.from(kml('UTF-8'), 'latin1'))).toThrow('not in UTF-8');
    expect(() => named(Buffer.from(kml('nonsense')))).toThrow('NONSENSE');
  });

  it.each<[string, string, RegExp]>([
    ['an open element', '<Placemark>', /Unexpected close tag \(line 1\)/],
    ['many levels', '<a>'.repeat(70), /64 levels/],
    ['a Placemark of many elements', `<Placemark>${'<a/>'.repeat(300_001)}</Placemark>`, /300000/],
    ['many features', '<Placemark/>'.repeat(4), /more than 3 features/],
    ['many vertices', `<Placemark>${polygon(5).repeat(6)}</Placemark>`, /20 vertices/],
    ['entities', '<!DOCTYPE a [<!ENTITY b "c">]><name>&b;</name>', /entity|doctype/i],
  ])('is refused if it has %s', (_, content, problem) => {
    expect(() => featuresOf(content)).toThrow(problem);
  });
});
