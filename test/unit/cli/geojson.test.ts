import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFields } from '../../../cli/src/fields/read-fields.ts';
import type { ReadOptions } from '../../../cli/src/fields/read-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'geojson-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ring = [
  [5.75, 50.97],
  [5.76, 50.97],
  [5.76, 50.98],
  [5.75, 50.97],
];
const polygon = { type: 'Polygon', coordinates: [ring] };
const feature = { type: 'Feature', geometry: polygon, properties: { id: 'a' } };
const collection = { type: 'FeatureCollection', features: [feature] };
const crs = (name: string) => ({ ...collection, crs: { type: 'name', properties: { name } } });

function read(content: unknown, options?: ReadOptions) {
  const path = join(folder, 'fields.geojson');
  const bytes = content instanceof Uint8Array || typeof content === 'string';
  writeFileSync(path, bytes ? content : JSON.stringify(content));
  return readFields(path, options);
}

async function problemOf(content: unknown, options?: ReadOptions): Promise<string> {
  return read(content, options).then(
    () => 'none',
    (error: { problem: string; message: string }) => `${error.problem}: ${error.message}`,
  );
}

describe('a GeoJSON file', () => {
  it.each([
    ['a collection', collection],
    ['a feature', feature],
    ['with the name CRS84', crs('urn:ogc:def:crs:OGC:1.3:CRS84')],
    ['with the name EPSG:4326', crs('EPSG:4326')],
    ['with a byte order mark', `\uFEFF${JSON.stringify(collection)}`],
  ])('may be %s', async (_, content) => {
    const { crs: found, features, format, layer, notes } = await read(content);
    expect({ format, layer, notes, code: found.code }).toEqual({
      ...{ format: 'GeoJSON', layer: null, notes: [], code: 'EPSG:4326' },
    });
    expect(features).toEqual([feature]);
  });

  it('may be a polygon without attributes', async () => {
    expect((await read(polygon)).features).toEqual([{ ...feature, properties: {} }]);
  });

  it('loses its heights, with a note', async () => {
    const high = ring.map((position) => [...position, 12]);
    const { features, notes } = await read({ ...polygon, coordinates: [high] });
    expect(features[0]?.geometry).toEqual(polygon);
    expect(notes).toHaveLength(1);
  });

  it.each([
    ['', 'no-fields: fields.geojson is empty.'],
    ['{"type":', /^damaged: fields.geojson is not valid JSON: /],
    [Buffer.from('{"a":"\xe9"}', 'latin1'), 'damaged: fields.geojson is not in UTF-8.'],
    ['hello', /^unknown-format: fields.geojson is none of GeoJSON, GeoPackage/],
    [{ type: 'Topology' }, /^unknown-format: .* is JSON but not a GeoJSON feature collection/],
    [[1], /^unknown-format: .* is JSON but not a GeoJSON feature collection/],
    [{ ...collection, features: [] }, 'no-fields: fields.geojson contains no fields.'],
    [{ ...feature, geometry: null }, /has 1 without geometry \(feature 1\)\.$/],
    [{ ...polygon, coordinates: [] }, /has 1 empty Polygon \(feature 1\)\.$/],
    [
      {
        ...collection,
        features: [feature, { ...feature, geometry: { type: 'Point', coordinates: [1, 2] } }],
      },
      'not-polygons: Every field must be a polygon, but of 2 features fields.geojson has 1 Point (feature 2).',
    ],
    [{ ...polygon, coordinates: [1] }, /^bad-coordinates: Feature 1 .* not those of a polygon/],
    [{ ...polygon, coordinates: [[['5', 50]]] }, /^bad-coordinates: Feature 1 .*\["5",50\]/],
    [
      { ...polygon, coordinates: [[[181_000, 332_500]]] },
      /^no-crs: .*\[181000, 332500\].* names no coordinate reference system.* --crs EPSG:/,
    ],
    [crs('local grid'), /^unknown-crs: .* is "local grid", not an EPSG code\./],
    [{ ...collection, crs: {} }, /^unknown-crs: .* has no name, not an EPSG code\./],
  ])('is refused if it is %j', async (content, problem) => {
    expect(await problemOf(content)).toMatch(problem);
  });

  it('has at most 50,000 fields', async () => {
    const features = Array(50_001).fill(feature);
    expect(await problemOf({ ...collection, features })).toBe(
      'too-large: fields.geojson has 50001 features; at most 50000 can be read. Split it.',
    );
  });

  it.each([
    [
      '64 levels',
      `${'['.repeat(65)}${']'.repeat(65)}`,
      /: fields.geojson nests .* 65 levels deep; .* 64 /,
    ],
    [
      '10 million arrays and objects',
      `[${'{},'.repeat(10_000_000)}1]`,
      / 10000001 arrays and .* 10000000 /,
    ],
  ])('has at most %s, counted before it is parsed', async (_, text, problem) => {
    expect(await problemOf(text)).toMatch(/^too-large: /);
    expect(await problemOf(text)).toMatch(problem);
  });

  it('has no layers', async () => {
    expect(await problemOf(collection, { layer: 'a' })).toMatch(
      /^choose-layer: .*has no layers: omit --layer/,
    );
  });

  it.each([
    ['missing.geojson', 'missing.geojson does not exist.'],
    ['.', /is a folder\.$/],
  ])('%s is refused', async (name, problem) => {
    await expect(readFields(join(folder, name))).rejects.toThrow(problem);
  });
});
