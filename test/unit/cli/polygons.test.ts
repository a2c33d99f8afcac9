import { expect, it } from 'vitest';
import { polygonsOf } from '../../../cli/src/fields/polygons.ts';

const polygon = (coordinates: unknown) => [
  { geometry: { type: 'Polygon', coordinates }, properties: {} },
];

it.each([
  [
    [
      [179, 1],
      [-179, 1],
      [-179, 2],
      [179, 1],
    ],
    /crosses the antimeridian: split it there/,
  ],
  [[[Number.NaN, Number.NaN]], /lies where its coordinate reference system is not defined\.$/],
  [[[5, 91]], /has the coordinates \[5,91\], which are not a longitude and a latitude/],
])('a field with the ring %j is refused', (ring, problem) => {
  expect(() => polygonsOf('fields.gpkg', polygon([ring]))).toThrow(problem);
});
