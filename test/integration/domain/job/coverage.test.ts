import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolygonRings, Position, Ring } from '../../../../engine/geometry/polygon.ts';
import { findInvalidity } from '../../../../engine/geometry/validity.ts';
import { coveragePolygonsOf } from '../../../../engine/model/pack/manifest.ts';
import {
  type Cover,
  classifyCover,
  coverOfAll,
} from '../../../../lambdas/domain/job/planning/coverage.ts';
import { boxRing, squareRing } from '../../../support/box.ts';
import { meuse } from '../../../support/domain/deployment.ts';
import { closeRing, gridPosition } from '../../../support/raster/rings.ts';
import { runCheck } from '../../raster/run-check.ts';

const open = (ring: Ring): Ring => ring.slice(0, -1);

const startingAt = (ring: Ring, at: number): Ring => {
  const vertices = open(ring);
  return closeRing([...vertices.slice(at), ...vertices.slice(0, at)]);
};

const reverseRing = (ring: Ring): Ring => ring.toReversed();

/** Adds vertices on every edge at these fractions of its length, with rounding errors. */
const densifyRing = (ring: Ring, fractions: readonly number[]): Ring =>
  ring.flatMap((from, i): Position[] => {
    const to = ring[i + 1];
    if (to === undefined) return [[...from]];
    const between = fractions.map(
      (t): Position => [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])],
    );
    return [[...from], ...between];
  });

describe("a job's polygon that equals the pack's coverage", () => {
  const [coverage = []] = coveragePolygonsOf(meuse.manifest);

  it.each<readonly [string, (ring: Ring) => Ring]>([
    ['unchanged', (ring) => ring],
    ['in the opposite direction', reverseRing],
    ['from another vertex', (ring) => startingAt(ring, 7)],
    ['with a vertex in the middle of every edge', (ring) => densifyRing(ring, [0.5])],
    ['with vertices anywhere on its edges', (ring) => densifyRing(ring, [1 / 7, 0.3, 0.9])],
    [
      'with all of these changes',
      (ring) => startingAt(reverseRing(densifyRing(ring, [0.1, 2 / 3])), 11),
    ],
    ['with every vertex repeated', (ring) => ring.flatMap((at) => [at, at])],
  ])('is within the coverage if it is written %s', (_, change) => {
    const changed = coverage.map(change);
    expect(classifyCover(changed, coverage)).toBe('within');
    expect(classifyCover(coverage, changed)).toBe('within');
  });

  it('is partly outside if a single vertex is 0.1 µm outside', () => {
    const [shell = []] = coverage;
    const west = Math.min(...shell.map(([lon]) => lon));
    const change = ([lon, lat]: Position): Position => [lon === west ? lon - 1e-12 : lon, lat];
    expect(classifyCover([shell.map(change)], coverage)).toBe('partly');
    expect(classifyCover([shell], [shell.map(change)])).toBe('within');
  });
});

describe('a polygon at the edge of a coverage', () => {
  const coverage: PolygonRings = [boxRing(0, 0, 10, 10), squareRing(4, 4, 2)];

  it.each<readonly [string, PolygonRings, Cover]>([
    ['in a corner', [squareRing(0, 0, 1)], 'within'],
    ['along a whole side', [boxRing(0, 0, 10, 1)], 'within'],
    ['along a hole', [boxRing(2, 4, 4, 6)], 'within'],
    ['around the hole, with the same hole', [boxRing(0, 0, 10, 10), squareRing(4, 4, 2)], 'within'],
    ['around the hole, with a larger hole', [boxRing(0, 0, 10, 10), squareRing(3, 3, 4)], 'within'],
    [
      'around the hole, with a smaller hole',
      [squareRing(1, 1, 8), squareRing(4.5, 4.5, 1)],
      'partly',
    ],
    ['over the hole', [squareRing(1, 1, 8)], 'partly'],
    ['larger than the coverage', [squareRing(-1, -1, 20)], 'partly'],
    ['in the hole', [squareRing(4.5, 4.5, 1)], 'apart'],
    ['equal to the hole', [squareRing(4, 4, 2)], 'apart'],
    ['outside, along a whole side', [boxRing(10, 0, 20, 10)], 'apart'],
    ['outside, along a part of a side', [boxRing(10, 3, 20, 4)], 'apart'],
    ['outside, at a corner', [squareRing(10, 10, 1)], 'apart'],
    [
      "around the coverage, with a hole of the coverage's shape",
      [squareRing(-5, -5, 20), boxRing(0, 0, 10, 10)],
      'apart',
    ],
    ['across a side', [boxRing(9, 1, 11, 2)], 'partly'],
    [
      'across a corner',
      [
        closeRing([
          [9, 9],
          [11, 11],
          [9, 10],
        ]),
      ],
      'partly',
    ],
    [
      'across the hole between two vertices of its edge',
      [
        closeRing([
          [0, 4],
          [4, 4],
          [4, 6],
          [6, 6],
          [6, 4],
          [10, 4],
          [10, 0],
          [0, 0],
        ]),
      ],
      'partly',
    ],
  ])('is classified: %s', (_, polygon, cover) => {
    expect(classifyCover(polygon, coverage)).toBe(cover);
    expect(classifyCover(polygon.map(reverseRing), coverage.map(reverseRing))).toBe(cover);
  });

  it('is within a coverage of several parts if each part of the polygon is within one of them', () => {
    const parts = [[squareRing(0, 0, 5)], [squareRing(20, 0, 5)]];
    expect(coverOfAll(parts, parts)).toBe('within');
    expect(coverOfAll([[squareRing(0, 0, 6)], [squareRing(20, 0, 5)]], parts)).toBe('partly');
  });
});

describe('compared with shapely', () => {
  const ring = fc.array(gridPosition, { minLength: 3, maxLength: 7 }).map(closeRing);
  const polygon = fc
    .oneof(fc.tuple(ring), fc.tuple(ring, ring))
    .filter((rings) => findInvalidity([rings]) === null);
  const wide = ring
    .map((hole) => [boxRing(0, 0, 6, 6), hole])
    .filter((rings) => findInvalidity([rings]) === null);
  const pairs = fc.sample(fc.tuple(polygon, fc.oneof(polygon, wide)), {
    numRuns: 4_000,
    seed: 20_260_301,
  });

  it('the cover is the same for any number of shared edges', async () => {
    const theirs = (await runCheck('check_cover.py', [], JSON.stringify(pairs))) as Cover[];
    const differing = pairs.filter(([a, b], i) => classifyCover(a, b) !== theirs[i]);
    expect(differing.map((pair) => JSON.stringify(pair))).toEqual([]);
    for (const cover of ['within', 'partly', 'apart']) {
      expect(theirs.filter((found) => found === cover).length, cover).toBeGreaterThan(100);
    }
  });

  it('the cover does not change with vertices on the edges and inexact coordinates', () => {
    const [east, north] = [5.7, 50.9];
    const change = (ring: Ring, fractions: readonly number[], at: number): Ring =>
      startingAt(
        densifyRing(ring, fractions).map(([x, y]): Position => [east + x * 0.1, north + y * 0.1]),
        at,
      );
    const whole = pairs.map(
      ([a, b]) => [a.map((r) => change(r, [], 0)), b.map((r) => change(r, [], 0))] as const,
    );
    const differing = pairs.filter(([a, b], i) => {
      const [plainA = [], plainB = []] = whole[i] ?? [];
      const cover = classifyCover(
        a.map((r) => change(r, [0.5], 1)),
        b.map((r) => change(r, [1 / 3], 2)),
      );
      return cover !== classifyCover(plainA, plainB) || cover !== classifyCover(a, b);
    });
    expect(differing.map((pair) => JSON.stringify(pair))).toEqual([]);
  });
});
