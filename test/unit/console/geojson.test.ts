import { describe, expect, it } from 'vitest';
import { FileRejected } from '../../../console/files/file-fields.ts';
import { readGeoJson } from '../../../console/files/geojson.ts';
import { readTypedFields } from '../../../console/files/typed-fields.ts';

function feature(properties: string): string {
  return `{"type":"Feature","properties":${properties},"geometry":null}`;
}

function namesOf(text: string): readonly (string | null)[] {
  return readGeoJson('fields.geojson', text).fields.map(({ name }) => name);
}

function explainError(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('hostile GeoJSON', () => {
  it('gives no name to a field whose properties are a long string', () => {
    expect(namesOf(feature(JSON.stringify('x'.repeat(20_000_000))))).toEqual([null]);
  });

  it('is rejected if it is only a long string', () => {
    const text = JSON.stringify('x'.repeat(20_000_000));
    expect(() => readGeoJson('fields.geojson', text)).toThrow(FileRejected);
  });

  it.each([
    ['x', 'x'.repeat(255)],
    ['x😀', `${'x😀'.repeat(127)}x`],
    ['😀', '😀'.repeat(255)],
  ])('has names that are too long cut between characters: %s', (part, name) => {
    expect(namesOf(feature(JSON.stringify({ name: part.repeat(400) })))).toEqual([name]);
  });

  it.each([
    ['deep', '['.repeat(5_000_000), /nests arrays and objects more than 64 levels deep/],
    ['empty objects', `[${'{},'.repeat(1_000_000)}{}]`, /has more than 5,000 fields/],
  ])('is rejected before it is parsed: %s', (_, text, message) => {
    expect(explainError(() => readGeoJson('fields.geojson', text))).toMatch(message);
  });

  it('gets a short message if the name of its reference system has megabytes', () => {
    const crs = JSON.stringify({ properties: { name: 'x'.repeat(1_000_000) } });
    const message = explainError(() =>
      readGeoJson('fields.geojson', `{"type":"Feature","crs":${crs}}`),
    );
    expect(message).toMatch(/uses the coordinate reference system x+$/);
    expect(message.length).toBeLessThan(1_000);
  });
});

it('a line with a million spaces is rejected as an invalid corner', () => {
  const line = `5.1${' '.repeat(1_000_000)}x`;
  expect(explainError(() => readTypedFields(line))).toContain('Line 1 ');
});
