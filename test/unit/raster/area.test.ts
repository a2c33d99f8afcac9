import { describe, expect, it } from 'vitest';
import { geodesicAreaHectares } from '../../../lambdas/raster/geometry/area.ts';
import type { Position } from '../../../lambdas/raster/geometry/polygon.ts';

const square = (west: number, south: number, size: number): Position[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];

describe('the geodesic area', () => {
  it('is the one pyproj 3.7.2 gives (Geod(ellps="WGS84").polygon_area_perimeter)', () => {
    expect(geodesicAreaHectares([[square(5, 51, 1)]])).toBeCloseTo(772553.5575815125, 3);
  });

  it('does not mind the winding', () => {
    const ring = square(5, 51, 0.1);
    expect(geodesicAreaHectares([[[...ring].reverse()]])).toBeCloseTo(
      geodesicAreaHectares([[ring]]),
      6,
    );
  });

  it('leaves holes out and adds polygons up', () => {
    const shell = geodesicAreaHectares([[square(5, 51, 0.1)]]);
    const hole = geodesicAreaHectares([[square(5.02, 51.02, 0.01)]]);
    const far = geodesicAreaHectares([[square(7, 51, 0.1)]]);
    const all = geodesicAreaHectares([
      [square(5, 51, 0.1), square(5.02, 51.02, 0.01)],
      [square(7, 51, 0.1)],
    ]);
    expect(all).toBeCloseTo(shell - hole + far, 6);
  });
});
