import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geodesicAreaHectares } from '../../../lambdas/raster/geometry/area.ts';
import type { Position } from '../../../lambdas/raster/geometry/polygon.ts';
import { judge } from './builders.ts';

const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

const square = (west: number, south: number, size: number): Position[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];

describe('the geodesic area', () => {
  it('is GeographicLib’s, of fields and of provinces (pyproj)', () => {
    const shape = fc.record({
      lon: fc.double({ min: -170, max: 170, noNaN: true }),
      lat: fc.double({ min: -75, max: 75, noNaN: true }),
      size: fc.constantFrom(0.001, 0.01, 0.1, 0.5),
      reach: fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), {
        minLength: 5,
        maxLength: 40,
      }),
    });
    const rings = fc.sample(shape, { numRuns: 500, seed: 7 }).map(({ lon, lat, size, reach }) => {
      const ring = reach.map((r, i): Position => {
        const angle = (2 * Math.PI * i) / reach.length;
        return [lon + size * r * Math.cos(angle), lat + size * r * Math.sin(angle)];
      });
      return [...ring, ...ring.slice(0, 1)];
    });
    const theirs = judge('judge_area.py', [], JSON.stringify(rings)) as number[];
    for (const [i, ring] of rings.entries()) {
      const expected = (theirs[i] ?? 0) / 10_000;
      const off = Math.abs(geodesicAreaHectares([[ring]]) / expected - 1);
      expect(off, JSON.stringify(ring)).toBeLessThan(1e-6);
    }
  });

  it('follows long edges as GeoJSON means them: straight in degrees', () => {
    // By geodesics the same three corners make 3.5 million hectares.
    const triangle: Position[] = [
      [-85, 51],
      [85, 51],
      [0, 85.9],
      [-85, 51],
    ];
    expect(geodesicAreaHectares([[triangle]])).toBeGreaterThan(1.6e9);
    // An unsplit ring over the antimeridian goes round the other way.
    expect(geodesicAreaHectares([[box(-179, 50.9, 179, 51)]])).toBeGreaterThan(2.7e7);
  });

  it('is a zone’s, of both hemispheres and of the Earth', () => {
    // R. E. Moritz, GRS 80: the Earth's surface is 510,065,622 km² (WGS84 differs by less than 1 km²).
    const earth = 51_006_562_172.4;
    const relative = (ring: Position[]) => geodesicAreaHectares([[ring]]) / earth;
    expect(relative(box(-180, -90, 180, 90))).toBeCloseTo(1, 9);
    expect(relative(box(-180, -90, 180, 90).reverse())).toBeCloseTo(1, 9);
    expect(relative(box(0, -90, 180, 90))).toBeCloseTo(0.5, 9);
    expect(relative(box(-180, 0, 180, 90))).toBeCloseTo(0.5, 9);
    // Archimedes: a sphere's zone has its share of the axis; the ellipsoid's within 0.3 %.
    expect(relative(box(-180, 60, 180, 90))).toBeCloseTo((1 - Math.sin(Math.PI / 3)) / 2, 2);
    expect(relative(box(-180, -30, 180, 90))).toBeCloseTo(0.75, 2);
  });

  it('adds up over a polygon that is cut at the antimeridian', () => {
    const whole = geodesicAreaHectares([[box(10, -17, 14, -16)]]);
    const east = box(178, -17, 180, -16);
    const west = box(-180, -17, -178, -16);
    expect(geodesicAreaHectares([[east], [west]]) / whole).toBeCloseTo(1, 9);
  });

  it('costs little for endless edges', () => {
    const teeth = Array.from(
      { length: 4_000 },
      (_, i): Position => [Math.floor(i / 2) % 2 === 0 ? -85 : 85, 10 + i * 0.001],
    );
    const comb: Position[] = [...teeth, [-89, 14], [-89, 10], [-85, 10]];
    expect(geodesicAreaHectares([[comb]])).toBeGreaterThan(1e8);
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
