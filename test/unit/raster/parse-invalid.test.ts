import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';
import { GEOMETRY_ERROR_CODES } from '../../../engine/geometry/problem.ts';
import { squareRing as square } from '../../support/box.ts';
import { multiPolygon, polygon, problemOf } from './parsed-polygon.ts';

describe('an invalid polygon', () => {
  it('is rejected with the position where a bow-tie crosses itself', () => {
    const problem = problemOf(
      polygon([
        [5, 51],
        [6, 52],
        [6, 51],
        [5, 52],
        [5, 51],
      ]),
    );
    expect(problem).toMatchObject({
      code: 'geometry_self_intersection',
      location: { ring: 0, vertex: 0, lon: 5.5, lat: 51.5 },
    });
    expect(problem.message).toContain('51.5 N, 5.5 E');
  });

  it.each([
    [
      'a spike',
      [
        [0, 0],
        [4, 0],
        [4, 4],
        [4, 6],
        [4, 4],
        [0, 4],
        [0, 0],
      ],
    ],
    [
      'a vertex on another edge',
      [
        [0, 0],
        [4, 0],
        [4, 4],
        [2, 0],
        [0, 4],
        [0, 0],
      ],
    ],
    ['a ring traversed twice', [...square(0, 0, 1), ...square(0, 0, 1).slice(1)]],
  ])('is rejected for %s', (_, ring) => {
    expect(problemOf(polygon(ring)).code).toBe('geometry_self_intersection');
  });

  it.each([
    ['an array', [1]],
    ['an object', { z: 1 }],
  ])('is rejected for %s in a position', (_, third) => {
    const ring = [
      [0, 0],
      [1, 0],
      [1, 1, 2, third],
      [0, 0],
    ];
    expect(problemOf({ type: 'Polygon', coordinates: [ring] })).toMatchObject({
      code: 'geometry_malformed',
      message: expect.stringContaining('coordinates[0][2] '),
    });
  });

  it('is rejected with the index of the ring that is not closed', () => {
    const problem = problemOf(polygon(square(5, 51, 1), square(5.2, 51.2, 0.1).slice(0, 4)));
    expect(problem).toMatchObject({ code: 'ring_not_closed', location: { ring: 1, vertex: 3 } });
  });

  it.each([
    ['metres', [178_000, 331_000], 'projected'],
    ['latitude first', [51, 120], 'longitude first'],
    ['a longitude past 180', [181, 51], 'within ±180'],
    ['a longitude past 180, with the wrapped value', [181.25, 51], '181.25 as -178.75'],
    ['a longitude past −180, with the wrapped value', [-200, 51], '-200 as 160'],
    ['a longitude past 180, with an explanation', [181, 51], 'MultiPolygon'],
    ['1e999', [Number.POSITIVE_INFINITY, 51], 'within ±180'],
  ])('is rejected for coordinates out of range: %s', (_, position, hint) => {
    const problem = problemOf(polygon([[5, 51], position, [6, 52], [5, 51]]));
    expect(problem.code).toBe('coordinates_out_of_range');
    expect(problem.message).toContain(hint);
    expect(problem.message).toContain('coordinates[0][1]');
  });

  it.each([
    [[2 ** 53 - 1, 51], { lon: 2 ** 53 - 1, lat: 51 }],
    [[2 ** 53, 51], null],
    [[5, -1e308], null],
    [[-Infinity, 51], null],
    [[-1e-200, 91], { lon: -0, lat: 91 }],
  ])(
    'has an error location only if every JSON reader can hold its numbers: %j',
    (position, where) => {
      const { code, location } = problemOf(polygon([[5, 51], position, [6, 52], [5, 51]]));
      expect(code).toBe('coordinates_out_of_range');
      expect(location).toEqual(where && { ring: 0, vertex: 1, ...where });
    },
  );

  it.each([
    [
      'a hole outside its shell',
      polygon(square(0, 0, 1), square(3, 3, 1)),
      'geometry_hole_outside_shell',
    ],
    [
      'a hole around its shell',
      polygon(square(1, 1, 1), square(0, 0, 3)),
      'geometry_hole_outside_shell',
    ],
    ['a hole across its shell', polygon(square(0, 0, 2), square(1, 1, 2)), 'geometry_rings_cross'],
    ['a hole along its shell', polygon(square(0, 0, 4), square(0, 1, 2)), 'geometry_rings_cross'],
    [
      'holes in holes',
      polygon(square(0, 0, 9), square(1, 1, 5), square(2, 2, 1)),
      'geometry_rings_overlap',
    ],
    [
      'polygons in polygons',
      multiPolygon([square(0, 0, 9)], [square(1, 1, 1)]),
      'geometry_rings_overlap',
    ],
    [
      'the smaller of two overlapping polygons first',
      multiPolygon([square(1, 1, 1)], [square(0, 0, 9)]),
      'geometry_rings_overlap',
    ],
    [
      'a ring that crosses where it touches',
      polygon(square(0, 0, 4), [
        [4, 0],
        [6, 4],
        [4, 4],
        [2, 2],
        [4, 0],
      ]),
      'geometry_rings_cross',
    ],
  ])('is rejected for misplaced rings: %s', (_, value, code) => {
    expect(problemOf(value).code).toBe(code);
  });

  it.each([
    [
      polygon([
        [0, 0],
        [1, 1],
        [0, 0],
        [0, 0],
      ]),
      'geometry_malformed',
    ],
    [
      polygon([
        [0, 0],
        [1, 1],
        [0, 0],
      ]),
      'geometry_malformed',
    ],
    [{ type: 'Polygon', coordinates: [] }, 'geometry_malformed'],
    [{ type: 'Polygon' }, 'geometry_malformed'],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            ['5', 51],
            [6, 51],
            [6, 52],
            ['5', 51],
          ],
        ],
      },
      'geometry_malformed',
    ],
    [{ type: 'MultiPolygon', coordinates: [] }, 'geometry_malformed'],
    [{ type: 'Feature', geometry: null }, 'geometry_malformed'],
    [[], 'geometry_malformed'],
    [{ type: 'Point', coordinates: [5, 51] }, 'geometry_type_not_supported'],
    [{ type: 'GeometryCollection', geometries: [] }, 'geometry_type_not_supported'],
    [{}, 'geometry_type_not_supported'],
    [{ type: 'FeatureCollection', features: [{}, {}] }, 'geometry_type_not_supported'],
    [{ type: 'FeatureCollection' }, 'geometry_type_not_supported'],
    [
      { type: 'Feature', geometry: { type: 'FeatureCollection', features: {} } },
      'geometry_type_not_supported',
    ],
    [
      { ...polygon(square(5, 51, 1)), crs: { properties: { name: 'EPSG:28992' } } },
      'crs_not_supported',
    ],
    [{ ...polygon(square(5, 51, 1)), crs: 'nonsense' }, 'crs_not_supported'],
  ])('is rejected: %j with %s', (value, code) => {
    expect(problemOf(value).code).toBe(code);
  });

  it.each([
    ['abc', 'must be a GeoJSON object; got "abc".'],
    [{ type: 'Feature' }, 'got nothing.'],
    [{ type: 'MultiPolygon', coordinates: [] }, 'got an empty array.'],
    [{ type: 'Polygon' }, 'coordinates must be an array of at least one ring'],
    [{ type: 'Polygon' }, 'got nothing.'],
    [{ type: 'FeatureCollection', features: [{}, {}] }, 'one job per Feature'],
    [{ type: 'Polygon', coordinates: 'x'.repeat(41) }, '41 characters'],
    [{ type: 'Polygon', coordinates: [{ lon: 5 }] }, 'got an object.'],
    [polygon([[5, 51]]), 'got an array of 1.'],
    [polygon([['5', 51] as never, [6, 51], [6, 52], [5, 51]]), 'got ["5", 51].'],
    [polygon([[5], [6, 51], [6, 52], [5]]), 'got an array of 1.'],
    [polygon([[null, 51] as never, [6, 51], [6, 52], [5, 51]]), 'got [null, 51].'],
  ])('is described in the message if it is %j', (value, message) => {
    expect(problemOf(value).message).toContain(message);
  });

  it('does not make the parser throw, whatever JSON it is', () => {
    const shaped = fc.record({
      type: fc.constantFrom('Polygon', 'MultiPolygon', 'Feature'),
      coordinates: fc.array(fc.array(fc.array(fc.array(fc.oneof(fc.double(), fc.integer()))))),
      geometry: fc.jsonValue(),
      crs: fc.option(fc.jsonValue(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), (value) => {
        const parsed = parseJobPolygon(value);
        if (parsed.kind === 'problem') expect(GEOMETRY_ERROR_CODES).toContain(parsed.code);
      }),
    );
  });
});
