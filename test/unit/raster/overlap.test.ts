import { describe, expect, it } from 'vitest';
import { computeHectares } from '../../../engine/geometry/ellipsoid.ts';
import {
  createComparisonBudget,
  findOverlaps as overlapsWithin,
} from '../../../engine/geometry/overlap.ts';
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

const overlapsOf = (polygons: readonly MultiPolygonRings[]) =>
  overlapsWithin(polygons, createComparisonBudget());

const sumShared = (...polygons: readonly MultiPolygonRings[]) =>
  overlapsOf(polygons)?.reduce((sum, { hectares }) => sum + hectares, 0);

/** A zigzag whose teeth all have the same longitudes. */
const zigzag = (teeth: number): readonly Position[] => {
  const side = (x: number) =>
    Array.from({ length: 2 * teeth }, (_, i): Position => [x + (i % 2) * 0.01, 51 + i * 1e-6]);
  const [left, right] = [side(5), side(5.02)];
  return [...left, ...right.toReversed(), [5, 51]];
};

const polygon = (...ring: readonly Position[]): MultiPolygonRings => [[ring]];

describe('the area that polygons share', () => {
  const hectares = computeHectares(box(5, 51));

  it('is computed for each pair, wherever it is in the list', () => {
    const half = box(5.005, 51);
    expect(overlapsOf([half, box(7, 51), box(5, 51)])).toEqual([
      { pair: [0, 2], hectares: expect.closeTo(hectares / 2, 6) },
    ]);
    expect(sumShared(box(5, 51), box(5, 51))).toBeCloseTo(hectares, 6);
    expect(overlapsOf([box(5, 51), box(5, 51), box(5, 51)])).toHaveLength(3);
  });

  it('is zero for neighbours with a common border, straight or oblique, and for a field in a hole', () => {
    const upper = polygon([5, 51], [5.01, 51.003], [5.01, 51.01], [5, 51.01], [5, 51]);
    const lower = polygon([5, 51], [5.01, 51.003], [5.01, 50.99], [5, 50.99], [5, 51]);
    const hole = box(5.002, 51.002, 0.004)[0]?.[0] ?? [];
    const ring: MultiPolygonRings = [[...(box(5, 51)[0] ?? []), hole]];
    expect(overlapsOf([box(5, 51), box(5.01, 51)])).toEqual([]);
    expect(overlapsOf([upper, lower])).toEqual([]);
    expect(overlapsOf([ring, [[hole]]])).toEqual([]);
    const withHole = (hectares * (0.01 ** 2 - 0.004 ** 2)) / 0.01 ** 2;
    expect(sumShared(ring, box(5, 51))).toBeCloseTo(withHole, 2);
  });

  it('is accurate for round shapes and for a narrow wedge, whatever the direction of their rings', () => {
    const reversed = (rings: MultiPolygonRings) =>
      rings.map((one) => one.map((r) => r.toReversed()));
    // Two unit circles a unit apart share 2π / 3 − √3 / 2; here they have 100 vertices.
    const [a, b] = [circle(0, 0, 0.01), circle(0.01, 0, 0.01)];
    const unit = computeHectares(a) / Math.PI;
    const expected = unit * ((2 * Math.PI) / 3 - Math.sqrt(3) / 2);
    for (const other of [b, reversed(b)]) {
      expect(Math.abs((sumShared(a, other) ?? 0) / expected - 1)).toBeLessThan(0.001);
    }
    const wedge = polygon([0, 0], [0.01, 0.0001], [0.01, 0], [0, 0]);
    const below = polygon([0, 0.0001], [0.01, 0], [0, 0], [0, 0.0001]);
    expect((sumShared(wedge, below) ?? 0) / computeHectares(wedge)).toBeCloseTo(0.5, 6);
  });

  it('is not computed if the pairs exceed the budget', () => {
    const many = Array.from({ length: 100 }, () => circle(5, 51, 0.01));
    expect(overlapsWithin(many, { steps: 100_000 })).toBeNull();
  });

  it('is not computed further once the edges of a pair have used up the budget', () => {
    const comb = polygon(...zigzag(5_000));
    const budget = { steps: 1_000_000 };
    expect(overlapsWithin([comb, comb], budget)).toBeNull();
    expect(budget.steps).toBeGreaterThan(-20_000);
    expect(overlapsWithin([box(5, 51), box(5, 51)], budget)).toBeNull();
  });
});
