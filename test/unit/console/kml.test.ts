import { describe, expect, it } from 'vitest';
import { kmlLayers } from '../../../console/files/kml.ts';
import type { KmlFeature } from '../../../console/files/placemark.ts';

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

const layersOf = (content: string, encoding: BufferEncoding = 'utf8') =>
  kmlLayers(
    Buffer.from(`<kml xmlns:gx="g"><Document>${content}</Document></kml>`, encoding),
    LIMITS,
  );

function placemark(content: string): KmlFeature | undefined {
  return layersOf(`<Placemark>${content}</Placemark>`)[0]?.features[0];
}

describe('a Placemark', () => {
  it('has its name, description and data as attributes, numbers where its schema says so', () => {
    const [layer] = layersOf(`<name>Äcker</name>
      <Schema id="s"><SimpleField name="ha" type="double"/><SimpleField name="code" type="string"/></Schema>
      <Placemark><name> Äcker &amp; Co </name><description><![CDATA[<b>12</b>]]></description>
        <ExtendedData><Data name="crop"><displayName>Crop</displayName><value>wheat</value></Data>
          <SchemaData schemaUrl="#s"><SimpleData name="ha">1.5</SimpleData>
            <SimpleData name="code">007</SimpleData></SchemaData></ExtendedData>
        ${polygon(5)}</Placemark>`);
    expect(layer?.name).toBe('Äcker');
    expect(layer?.features).toEqual([
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

  it('may have holes, several polygons or no geometry', () => {
    const hole = `<innerBoundaryIs>${ring(6)}</innerBoundaryIs>`;
    expect(placemark(polygon(5, hole))?.geometry?.coordinates).toEqual([corners(5), corners(6)]);
    expect(
      placemark(
        `<MultiGeometry>${polygon(5)}<MultiGeometry>${polygon(7)}</MultiGeometry></MultiGeometry>`,
      )?.geometry,
    ).toEqual({ type: 'MultiPolygon', coordinates: [[corners(5)], [corners(7)]] });
    expect(placemark('<name>a</name>')?.geometry).toBeNull();
    expect(placemark('<MultiGeometry/>')?.geometry).toBeNull();
    expect(placemark('<Polygon/>')?.geometry).toEqual({ type: 'Polygon', coordinates: [] });
  });

  it('keeps the type of what is no polygon', () => {
    const point = '<Point><coordinates>5,50</coordinates></Point>';
    expect(placemark(point)?.geometry?.type).toBe('Point');
    expect(placemark('<gx:Track/>')?.geometry?.type).toBe('Track');
    expect(placemark(`<MultiGeometry>${polygon(5)}${point}</MultiGeometry>`)?.geometry?.type).toBe(
      'GeometryCollection',
    );
  });
});

describe('a KML file', () => {
  it('has a layer for each folder with Placemarks', () => {
    const folder = (name: string) => `<Folder>${name}<Placemark/></Folder>`;
    const layers = layersOf(folder('<name>a</name>') + folder('<name>a</name>') + folder(''));
    expect(layers.map(({ name }) => name)).toEqual(['a', 'a (#2)', 'Layer 3']);
  });

  it('may be in the encoding that it names', () => {
    const kml = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><kml><Placemark><name>Ä</name></Placemark></kml>`;
    const named = (content: Uint8Array) =>
      kmlLayers(content, LIMITS)[0]?.features[0]?.properties['Name'];
    expect(named(Buffer.from(kml('ISO-8859-1'), 'latin1'))).toBe('Ä');
    expect(named(Buffer.from(`\uFEFF${kml('UTF-16')}`, 'utf16le'))).toBe('Ä');
    expect(() => named(Buffer.from(kml('UTF-8'), 'latin1'))).toThrow('not in UTF-8');
    expect(() => named(Buffer.from(kml('nonsense')))).toThrow('NONSENSE');
  });

  it.each<[string, string, RegExp]>([
    ['an open element', '<Placemark>', /Unexpected close tag \(line 1\)/],
    [
      'half a position',
      `<Placemark>${polygon(5).replace('5,50', '5,')}</Placemark>`,
      /^"5," is not a longitude/,
    ],
    ['many levels', '<a>'.repeat(70), /64 levels/],
    ['a Placemark of many elements', `<Placemark>${'<a/>'.repeat(300_001)}</Placemark>`, /300000/],
    ['many features', '<Placemark/>'.repeat(4), /more than 3 features/],
    ['many vertices', `<Placemark>${polygon(5).repeat(6)}</Placemark>`, /20 vertices/],
    ['entities', '<!DOCTYPE a [<!ENTITY b "c">]><name>&b;</name>', /entity|doctype/i],
  ])('is refused if it has %s', (_, content, problem) => {
    expect(() => layersOf(content)).toThrow(problem);
  });
});
