import { describe, expect, it } from 'vitest';
import { ellipsoidalHectares } from '../../../engine/geometry/ellipsoid.ts';
import { overlapHectares } from '../../../engine/geometry/overlap.ts';
import type { MultiPolygonRings, Position } from '../../../engine/geometry/polygon.ts';

const box = (west: number, south: number, size = 0.01): MultiPolygonRings => [
  [
    [
      [west, south],
      [west + size, south],
      [west + size, south + size],
      [west, south + size],
      [west, south],
    ],
  ],
];
const circle = (x: number, y: number, radius: number): MultiPolygonRings => [
  [
    Array.from({ length: 101 }, (_, i): Position => {
      const angle = (2 * Math.PI * (i % 100)) / 100;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    }),
  ],
];

describe('the area that polygons share', () => {
  const hectares = ellipsoidalHectares(box(5, 51));

  it('is that of each pair, wherever they stand in the list', () => {
    expect(overlapHectares([box(5, 51), box(7, 51), box(5.005, 51)])).toBeCloseTo(hectares / 2, 2);
    expect(overlapHectares([box(5, 51), box(5, 51)])).toBeCloseTo(hectares, 6);
    expect(overlapHectares([box(5, 51), box(5, 51), box(5, 51)])).toBeCloseTo(3 * hectares, 6);
  });

  it('is none for neighbours with a common border, straight or oblique, and for a field in a hole', () => {
    const [upper, lower]: MultiPolygonRings[] = [
      [
        [
          [
            [5, 51],
            [5.01, 51.003],
            [5.01, 51.01],
            [5, 51.01],
            [5, 51],
          ],
        ],
      ],
      [
        [
          [
            [5, 51],
            [5.01, 51.003],
            [5.01, 50.99],
            [5, 50.99],
            [5, 51],
          ],
        ],
      ],
    ];
    const hole = box(5.002, 51.002, 0.004)[0]?.[0] ?? [];
    const ring: MultiPolygonRings = [[...(box(5, 51)[0] ?? []), hole]];
    expect(overlapHectares([box(5, 51), box(5.01, 51)])).toBe(0);
    expect(overlapHectares([upper ?? [], lower ?? []])).toBeLessThan(1e-6);
    expect(overlapHectares([ring, [[hole]]])).toBeLessThan(1e-6);
  });

  it('is within 2 % for round shapes', () => {
    // Two unit circles a unit apart share 2π / 3 − √3 / 2.
    const [a, b] = [circle(0, 0, 0.01), circle(0.01, 0, 0.01)];
    const unit = ellipsoidalHectares(a) / Math.PI;
    const expected = unit * ((2 * Math.PI) / 3 - Math.sqrt(3) / 2);
    expect((overlapHectares([a, b]) ?? 0) / expected).toBeCloseTo(1, 1);
    expect(Math.abs((overlapHectares([a, b]) ?? 0) / expected - 1)).toBeLessThan(0.02);
  });

  it('is not computed for more pairs than a request may cost', () => {
    const many = Array.from({ length: 1_100 }, () => circle(5, 51, 0.01));
    expect(overlapHectares(many)).toBeNull();
  });
});
