import { describe, expect, it } from 'vitest';
import { FileRejected } from '../../../console/files/file-fields.ts';
import { readTypedFields } from '../../../console/files/typed-fields.ts';

function ringsOf(text: string) {
  return readTypedFields(text).fields.map(({ polygon }) => polygon?.coordinates[0]);
}

describe('typed fields', () => {
  const triangle = [
    [5.1, 50.1],
    [5.2, 50.1],
    [5.2, 50.2],
    [5.1, 50.1],
  ];

  it.each([
    ['commas', '50.1, 5.1\n50.1,5.2\n50.2 , 5.2'],
    ['spaces and tabs', '  50.1 5.1\n50.1\t5.2\r\n50.2  5.2\n'],
    ['letters for the directions, in either order', '50.1 N 5.1 E\n5.2 E 50.1 N\n50.2, 5.2'],
    ['semicolons, and the first corner repeated', '50.1;5.1\n50.1;5.2\n50.2;5.2\n50.1;5.1'],
    ['GeoJSON', ` ${JSON.stringify({ type: 'Polygon', coordinates: [triangle] })}`],
  ])('are read with %s', (_, text) => {
    expect(ringsOf(text)).toEqual([triangle]);
  });

  it('are separated by empty lines', () => {
    const text = '\n50.1,5.1\n50.1,5.2\n50.2,5.2\n \n\n51,6\n51,7\n52,7';
    expect(ringsOf(text)).toHaveLength(2);
  });

  it.each([
    ['50.1,5.1\n50,1, 5,1', /^Line 2 /],
    ['50.1,5.1\n50.2', /^Line 2 /],
    ['50.1,5.1\n50,200', /^Line 2 /],
    ['-93.6,42', /^Line 1 /],
    ['east, north', /^Line 1 /],
    ['50.1,', /^Line 1 /],
    ['\n50.1,5.1\n50.1,5.2\n', /line 2 has fewer than 3 corners/],
    ['50.1,5.1\n50.1,5.2\n50.1,5.1', /fewer than 3 corners/],
    ['{"type": "Polygon"', /not valid JSON/],
    ['  ', /^The text has no polygons/],
  ])('are rejected: %j', (text, message) => {
    expect(() => readTypedFields(text)).toThrow(FileRejected);
    expect(() => readTypedFields(text)).toThrow(message);
  });
});
