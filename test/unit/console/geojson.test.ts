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
  it('has no name in properties that are a long text', () => {
    expect(namesOf(feature(JSON.stringify('x'.repeat(20_000_000))))).toEqual([null]);
  });

  it('has only a long text', () => {
    const text = JSON.stringify('x'.repeat(20_000_000));
    expect(() => readGeoJson('fields.geojson', text)).toThrow(FileRejected);
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
    expect(explainError(() => readGeoJson('fields.geojson', text))).toMatch(message);
  });

  it('names its reference system in megabytes: the message is short', () => {
    const crs = JSON.stringify({ properties: { name: 'x'.repeat(1_000_000) } });
    const message = explainError(() =>
      readGeoJson('fields.geojson', `{"type":"Feature","crs":${crs}}`),
    );
    expect(message).toMatch(/uses the coordinate reference system x+$/);
    expect(message.length).toBeLessThan(1_000);
  });
});

it('says without delay that a line of spaces is not a valid corner', () => {
  const line = `5.1${' '.repeat(1_000_000)}x`;
  expect(explainError(() => readTypedFields(line))).toContain('Line 1 ');
});
