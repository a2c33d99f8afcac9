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
  kmlPlacemarks(`<kml xmlns:gx="g"><Document>${content}</Document></kml>`, LIMITS).placemarks.map(
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
    ['5,50, 6,51,', [5, 50], [6, 51]],
    ['5,50,nan 6,51,', [5, 50], [6, 51]],
    ['5 , 50 , 12 6, 51, 0', [5, 50, 12], [6, 51, 0]],
    ['5,50;6 6,51', [Number.NaN, Number.NaN], [6, 51]],
    ['5,50,6,51', [Number.NaN, Number.NaN]],
  ])('has for the coordinates %j positions that no reader invents', (text, ...positions) => {
    expect(geometryIn(`<LineString><coordinates>${text}</coordinates></LineString>`)).toEqual({
      type: 'LineString',
      coordinates: positions,
    });
  });
});

describe('a KML file', () => {
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
