import { expect, it } from 'vitest';
import { isDense } from '../../../console/map/dense-outline.ts';
import { aBox, squareRing } from '../../support/box.ts';
import { thinZigzag } from '../../support/thin-zigzag.ts';

it('a zigzag of thousands of vertices is dense', () => {
  const { coordinates } = thinZigzag([5, 50, 6, 51], 60_000, 1e-6);
  expect(isDense({ type: 'Polygon', coordinates })).toBe(true);
  expect(isDense({ type: 'MultiPolygon', coordinates: [coordinates] })).toBe(true);
});

it('a grid of 100,000 parcels, a box and a point are not dense', () => {
  const parcels = Array.from({ length: 100_000 }, (_, index) => [
    squareRing(5 + (index % 316) / 316, 50 + Math.floor(index / 316) / 316, 1 / 316),
  ]);
  expect(isDense({ type: 'MultiPolygon', coordinates: parcels })).toBe(false);
  expect(isDense(aBox(5, 50, 6, 51))).toBe(false);
  expect(isDense(aBox(5, 50, 5, 50))).toBe(false);
});
