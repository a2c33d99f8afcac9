import { describe, expect, it } from 'vitest';
import { computePerimeter } from '../../../engine/geometry/ellipsoid.ts';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { squareRing } from '../../support/box.ts';
import { cutEdges, outlines } from '../../support/raster/rings.ts';
import { runCheck } from './run-check.ts';

async function measureLargestDifference(rings: readonly Position[][]): Promise<number> {
  // GeographicLib's edges are geodesics. Between close points they follow our edges, which are straight in degrees.
  const theirs = await runCheck(
    'check_perimeter.py',
    [],
    JSON.stringify(rings.map((ring) => cutEdges(ring, 500))),
  );
  const off = rings.map((ring, i) =>
    Math.abs(computePerimeter([[ring]]) / Number((theirs as number[])[i]) - 1),
  );
  return Math.max(...off);
}

describe('the perimeter', () => {
  it('is within a millionth of GeographicLib’s for outlines up to two degrees wide', async () => {
    expect(await measureLargestDifference(outlines([0.001, 0.01, 0.1, 1], 100))).toBeLessThan(1e-6);
  });

  it('is within 0.3 % of GeographicLib’s along the longest possible edges', async () => {
    const triangles: Position[][] = [
      [
        [0, -90],
        [10, 90],
        [180, 0],
        [0, -90],
      ],
      [
        [-180, -89],
        [180, 89],
        [180, -89],
        [-180, -89],
      ],
    ];
    expect(await measureLargestDifference(triangles)).toBeLessThan(3e-3);
  });

  it('includes all rings, including holes', () => {
    const rings = [squareRing(5, 51, 0.1), squareRing(5.02, 51.02, 0.01), squareRing(7, 51, 0.1)];
    const [shell, hole, far] = rings.map((ring) => computePerimeter([[ring]]));
    const all = computePerimeter([rings.slice(0, 2), rings.slice(2)]);
    expect(all).toBeCloseTo((shell ?? 0) + (hole ?? 0) + (far ?? 0), 6);
    expect(shell).toBeGreaterThan(2 * (11_100 + 6_900));
  });
});
