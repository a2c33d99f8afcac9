import { describe, expect, it } from 'vitest';
import { FileRejected } from '../../../console/files/file-fields.ts';
import { typedFields } from '../../../console/files/typed-fields.ts';

function ringsOf(text: string) {
  return typedFields(text).fields.map(({ polygon }) => polygon?.coordinates[0]);
}

describe('typed fields', () => {
  const triangle = [
    [5.1, 50.1],
    [5.2, 50.1],
    [5.2, 50.2],
    [5.1, 50.1],
  ];

  it.each([
    ['commas', '5.1, 50.1\n5.2,50.1\n5.2 , 50.2'],
    ['spaces and tabs', '  5.1 50.1\n5.2\t50.1\r\n5.2  50.2\n'],
    ['letters, in any order', '50.1 N 5.1 E\n5.2 E 50.1 N\n5.2, 50.2'],
    ['semicolons, and the first corner again', '5.1;50.1\n5.2;50.1\n5.2;50.2\n5.1;50.1'],
    ['GeoJSON', ` ${JSON.stringify({ type: 'Polygon', coordinates: [triangle] })}`],
  ])('are read with %s', (_, text) => {
    expect(ringsOf(text)).toEqual([triangle]);
  });

  it('are divided by empty lines', () => {
    const text = '\n5.1,50.1\n5.2,50.1\n5.2,50.2\n \n\n6,51\n7,51\n7,52';
    expect(ringsOf(text)).toHaveLength(2);
  });

  it.each([
    ['5.1,50.1\n5,1, 50,1', /^Line 2 is no corner/],
    ['5.1,50.1\n5.2', /^Line 2 is no corner/],
    ['5.1,50.1\n200,50', /^Line 2 is no corner/],
    ['5.1,91', /^Line 1 is no corner/],
    ['east, north', /^Line 1 is no corner/],
    ['5.1,', /^Line 1 is no corner/],
    ['\n5.1,50.1\n5.2,50.1\n', /^The field that starts on line 2 has fewer than 3 corners/],
    ['5.1,50.1\n5.2,50.1\n5.1,50.1', /fewer than 3 corners/],
    ['{"type": "Polygon"', /not valid JSON/],
    ['  ', /^The text has no polygons/],
  ])('refuses %j', (text, message) => {
    expect(() => typedFields(text)).toThrow(FileRejected);
    expect(() => typedFields(text)).toThrow(message);
  });
});
