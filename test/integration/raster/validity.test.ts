import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJoint } from '../../../engine/geometry/crossings.ts';
import { findMeeting, listEdges } from '../../../engine/geometry/edges.ts';
import type { MultiPolygonRings, Position, Ring } from '../../../engine/geometry/polygon.ts';
import { sweepRings } from '../../../engine/geometry/sweep.ts';
import { findInvalidity } from '../../../engine/geometry/validity.ts';
import { squareRing as square } from '../../support/box.ts';
import { closeRing, diagonalComb, firstNumbers, gridPosition } from '../../support/raster/rings.ts';
import { runs } from '../../support/runs.ts';
import { runCheck } from './run-check.ts';

const diamond = (x: number, y: number): Ring =>
  closeRing([
    [x - 1, y],
    [x, y - 1],
    [x + 1, y],
    [x, y + 1],
  ]);

function fan(blades: number): Ring[] {
  const tip = (turn: number): Position => [
    5 + Math.cos((2 * Math.PI * turn) / blades),
    51 + Math.sin((2 * Math.PI * turn) / blades),
  ];
  return firstNumbers(blades).map((i) => closeRing([[5, 51], tip(i), tip(i + 0.5)]));
}

function nest(polygons: number): Ring[][] {
  const triangle = (depth: number): Ring => {
    const size = 1 - depth / polygons;
    return closeRing([
      [5 - size, 51 - size],
      [5 + size, 51 - size],
      [5, 51 + size],
    ]);
  };
  return firstNumbers(polygons).map((i) => [triangle(i), triangle(i + 0.5)]);
}

const asPolygons = (rings: readonly Ring[]): MultiPolygonRings => rings.map((ring) => [ring]);
const asHoles = (rings: readonly Ring[]): MultiPolygonRings => [[square(0, 40, 20), ...rings]];

/** Valid polygons near the limit of vertices, for which comparing all pairs of edges is slow. */
const LARGEST: readonly (readonly [string, MultiPolygonRings])[] = [
  ['polygons that share one vertex', asPolygons(fan(3_330))],
  ['holes that share one vertex', asHoles(fan(3_330))],
  ['a diagonal comb', [[diagonalComb(2_490)]]],
  ['polygons nested in the holes of others', nest(1_660)],
];

const moved = (ring: Ring, by: number): Ring => ring.map(([x, y]) => [x + by, y]);

describe('a polygon at the limits of a job', () => {
  it.each(LARGEST)('is valid: %s', (_, polygons) => {
    expect(findInvalidity(polygons)).toBeNull();
  });

  it.each(LARGEST)('takes at most 4 n log₂ n tests for n edges: %s', (_, polygons) => {
    const edges = listEdges(polygons);
    const nesting = sweepRings(edges);
    if (nesting.kind === 'problem') throw new Error(nesting.message);
    expect(nesting.tests).toBeLessThan(4 * edges.length * Math.log2(edges.length));
  });

  it('is rejected if one triangle among thousands covers another', () => {
    const blades = fan(3_330);
    const shifted = moved(blades[1_000] ?? [], 1e-4);
    const rings = blades.with(1_000, shifted);
    expect(findInvalidity(asPolygons(rings))?.code).toBe('geometry_rings_cross');
    expect(findInvalidity(asHoles(rings))?.code).toBe('geometry_rings_cross');
  });

  it('is rejected if one polygon among thousands has no hole around it', () => {
    const polygons = nest(1_660).map((rings, i) => (i === 800 ? rings.slice(0, 1) : rings));
    expect(findInvalidity(polygons)).toMatchObject({
      code: 'geometry_rings_overlap',
      location: { ring: 1_601 },
    });
  });

  it('is rejected if a tooth of a comb crosses the next', () => {
    const comb = diagonalComb(2_490);
    const crooked = comb.with(4_001, [comb[4_005]?.[0] ?? 0, (comb[4_005]?.[1] ?? 0) - 1e-4]);
    expect(findInvalidity([[crooked]])?.code).toBe('geometry_self_intersection');
  });
});

describe('rings that touch at one point', () => {
  const corner = square(0, 0, 4);

  it.each<readonly [string, MultiPolygonRings]>([
    ['corner to corner', [[corner], [square(4, 4, 2)]]],
    [
      'a corner on an edge',
      [
        [corner],
        [
          closeRing([
            [4, 2],
            [6, 1],
            [6, 3],
          ]),
        ],
      ],
    ],
    [
      'a hole that touches from inside',
      [
        [
          corner,
          closeRing([
            [0, 2],
            [2, 1],
            [2, 3],
          ]),
        ],
      ],
    ],
    [
      'an island in a hole',
      [
        [corner, square(1, 1, 2)],
        [
          closeRing([
            [1, 1],
            [3, 2],
            [2, 3],
          ]),
        ],
      ],
    ],
  ])('are valid: %s', (_, polygons) => {
    expect(findInvalidity(polygons)).toBeNull();
  });

  it.each<readonly [string, MultiPolygonRings, string]>([
    [
      'a hole that touches from outside',
      [[corner, square(4, 4, 2)]],
      'geometry_hole_outside_shell',
    ],
    [
      'a polygon that touches from inside',
      [
        [corner],
        [
          closeRing([
            [0, 2],
            [2, 1],
            [2, 3],
          ]),
        ],
      ],
      'geometry_rings_overlap',
    ],
    [
      'a ring that leaves through a corner',
      [
        [corner],
        [
          closeRing([
            [4, 4],
            [3, 2],
            [6, 6],
            [6, 8],
          ]),
        ],
      ],
      'geometry_rings_cross',
    ],
    [
      'a hole that touches three edges',
      [
        [
          corner,
          closeRing([
            [0, 2],
            [4, 2],
            [2, 4],
          ]),
        ],
      ],
      'geometry_interior_cut',
    ],
    [
      'a chain of holes from edge to edge',
      [[square(0, 0, 6), diamond(1, 3), diamond(3, 3), diamond(5, 3)]],
      'geometry_interior_cut',
    ],
    [
      'a ring of holes',
      [[square(0, 0, 6), square(1, 2, 1), square(2, 1, 1), square(3, 2, 1), square(2, 3, 1)]],
      'geometry_interior_cut',
    ],
  ])('are invalid: %s', (_, polygons, code) => {
    expect(findInvalidity(polygons)?.code).toBe(code);
  });

  it('split the interior if they form a cycle, which is reported with ring and vertex', () => {
    const holes = [diamond(1, 3), diamond(3, 3), diamond(5, 3)];
    const found = findInvalidity([[square(0, 0, 6), ...holes]]);
    expect(found?.location).toEqual({ ring: 3, vertex: 1, lon: 6, lat: 3 });
    expect(findInvalidity([[square(0, 0, 6), ...holes.slice(0, 2)]])).toBeNull();
  });
});

describe('the sweep', () => {
  it('agrees with a comparison of every pair of edges', () => {
    const ring = fc.array(gridPosition, { minLength: 3, maxLength: 7 });
    fc.assert(
      fc.property(ring, (positions) => {
        const edges = listEdges([[closeRing(positions)]]);
        fc.pre(edges.length >= 3);
        const isSimple = edges.every((a, i) =>
          edges.slice(i + 1).every((b) => {
            const { kind } = findMeeting(a, b);
            return kind === 'apart' || (kind === 'touch' && isJoint(a, b));
          }),
        );
        expect(sweepRings(edges).kind).toBe(isSimple ? 'nesting' : 'problem');
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('rejects squares that overlap or share an edge, but not squares that touch at a corner', () => {
    const size = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(gridPosition, size, gridPosition, size, ([ax, ay], a, [bx, by], b) => {
        const width = Math.min(ax + a, bx + b) - Math.max(ax, bx);
        const height = Math.min(ay + a, by + b) - Math.max(ay, by);
        const isRight = width < 0 || height < 0 || (width === 0 && height === 0);
        const found = findInvalidity([[square(ax, ay, a)], [square(bx, by, b)]]);
        expect(found === null).toBe(isRight);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

/** Small rings on a grid that often touch, share edges, nest and cross. */
const smallRing = fc.oneof(
  fc
    .tuple(gridPosition, fc.integer({ min: 1, max: 6 }))
    .map(([[x, y], size]) => square(x, y, size)),
  gridPosition.map(([x, y]) => diamond(x, y)),
  fc.array(gridPosition, { minLength: 3, maxLength: 5 }).map(closeRing),
);
const smallPolygon = fc
  .tuple(fc.oneof(fc.constant(square(-1, -1, 8)), smallRing), fc.array(smallRing, { maxLength: 4 }))
  .map(([shell, holes]) => [shell, ...holes]);

describe('compared with GEOS,', () => {
  it('validity is the same for 6,000 polygons and multipolygons', async () => {
    const polygons = fc.sample(
      fc.oneof(
        { weight: 4, arbitrary: fc.tuple(smallPolygon) },
        { weight: 1, arbitrary: fc.tuple(smallPolygon, smallPolygon) },
      ),
      { numRuns: 6_000, seed: 11 },
    );
    const theirs = (await runCheck('check_validity.py', [], JSON.stringify(polygons))) as string[];
    const reasons = new Map<string, number>();
    const unlike = theirs.flatMap((reason, i) => {
      const name = reason.replace(/\[.*/, '');
      reasons.set(name, (reasons.get(name) ?? 0) + 1);
      const ours = findInvalidity(polygons[i] ?? []);
      if ((name === 'Valid Geometry') === (ours === null)) return [];
      return [{ polygon: polygons[i], reason, ours: ours?.message }];
    });
    expect(unlike).toEqual([]);
    // Each kind must occur often enough.
    for (const kind of ['Valid Geometry', 'Self-intersection', 'Interior is disconnected']) {
      expect(reasons.get(kind), kind).toBeGreaterThan(40);
    }
  });
});
