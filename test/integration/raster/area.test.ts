import { describe, expect, it } from 'vitest';
import { computeHectares } from '../../../engine/geometry/ellipsoid.ts';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { boxRing as box, squareRing as square } from '../../support/box.ts';
import { cutEdges, outlines } from '../../support/raster/rings.ts';
import { runCheck } from './run-check.ts';

async function measureLargestDifference(
  rings: readonly Position[][],
  given: (ring: Position[]) => Position[],
): Promise<number> {
  const theirs = (await runCheck(
    'check_area.py',
    [],
    JSON.stringify(rings.map(given)),
  )) as number[];
  const off = rings.map((ring, i) =>
    Math.abs((computeHectares([[ring]]) * 10_000) / (theirs[i] ?? 0) - 1),
  );
  return Math.max(...off);
}

describe('the area', () => {
  it('equals GeographicLib’s if each edge is split into 60 pieces, which follow edges that are straight in degrees', async () => {
    const rings = outlines([0.001, 0.01, 0.1], 100);
    expect(await measureLargestDifference(rings, (ring) => cutEdges(ring, 60))).toBeLessThan(1e-7);
  });

  it('is within 0.1 % of the geodesic area for jobs up to and beyond 100 km²', async () => {
    const rings = outlines([0.001, 0.01, 0.1], 500);
    expect(await measureLargestDifference(rings, (ring) => ring)).toBeLessThan(1e-3);
  });

  it('follows long edges that are straight in degrees, as GeoJSON defines them', () => {
    const triangle: Position[] = [
      [-85, 51],
      [85, 51],
      [0, 85.9],
      [-85, 51],
    ];
    expect(computeHectares([[triangle]])).toBeGreaterThan(1.6e9);
    // An unsplit ring across the antimeridian goes around the other way.
    expect(computeHectares([[box(-179, 50.9, 179, 51)]])).toBeGreaterThan(2.7e7);
  });

  it('is correct for zones, for hemispheres and for the Earth', () => {
    // The Earth's surface is 510,065,622 km² (H. Moritz, Geodetic Reference System 1980; WGS84 differs by less than 1 km²).
    const earth = 51_006_562_172.4;
    const relative = (ring: Position[]) => computeHectares([[ring]]) / earth;
    expect(relative(box(-180, -90, 180, 90))).toBeCloseTo(1, 9);
    expect(relative(box(-180, -90, 180, 90).reverse())).toBeCloseTo(1, 9);
    expect(relative(box(0, -90, 180, 90))).toBeCloseTo(0.5, 9);
    expect(relative(box(-180, 0, 180, 90))).toBeCloseTo(0.5, 9);
    // The area of a sphere's zone is proportional to its share of the axis (Archimedes); on the ellipsoid, with an
    // error of at most 0.3 %.
    expect(relative(box(-180, 60, 180, 90))).toBeCloseTo((1 - Math.sin(Math.PI / 3)) / 2, 2);
    expect(relative(box(-180, -30, 180, 90))).toBeCloseTo(0.75, 2);
  });

  it('adds up for a polygon that is split at the antimeridian', () => {
    const whole = computeHectares([[box(10, -17, 14, -16)]]);
    const east = box(178, -17, 180, -16);
    const west = box(-180, -17, -178, -16);
    expect(computeHectares([[east], [west]]) / whole).toBeCloseTo(1, 9);
  });

  it('is computed for thousands of very long edges', () => {
    const teeth = Array.from(
      { length: 4_000 },
      (_, i): Position => [Math.floor(i / 2) % 2 === 0 ? -85 : 85, 10 + i * 0.001],
    );
    const comb: Position[] = [...teeth, [-89, 14], [-89, 10], [-85, 10]];
    expect(computeHectares([[comb]])).toBeGreaterThan(1e8);
  });

  it('does not depend on the winding', () => {
    const ring = square(5, 51, 0.1);
    expect(computeHectares([[[...ring].reverse()]])).toBeCloseTo(computeHectares([[ring]]), 6);
  });

  it('subtracts holes and adds polygons', () => {
    const shell = computeHectares([[square(5, 51, 0.1)]]);
    const hole = computeHectares([[square(5.02, 51.02, 0.01)]]);
    const far = computeHectares([[square(7, 51, 0.1)]]);
    const all = computeHectares([
      [square(5, 51, 0.1), square(5.02, 51.02, 0.01)],
      [square(7, 51, 0.1)],
    ]);
    expect(all).toBeCloseTo(shell - hole + far, 6);
  });
});
