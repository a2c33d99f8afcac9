import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_VERTICES, parseJobPolygon } from '../../../lambdas/geometry/parse.ts';
import { GEOMETRY_ERROR_CODES } from '../../../lambdas/geometry/problem.ts';
import { squareRing as square } from '../../box.ts';

type Ring = readonly (readonly number[])[];
const polygon = (...rings: readonly Ring[]) => ({ type: 'Polygon', coordinates: rings });
const multi = (...polygons: readonly (readonly Ring[])[]) => ({
  type: 'MultiPolygon',
  coordinates: polygons,
});

function problemOf(value: unknown) {
  const parsed = parseJobPolygon(value);
  if (parsed.kind !== 'problem') throw new Error('taken as a polygon');
  return parsed;
}

function polygonOf(value: unknown) {
  const parsed = parseJobPolygon(value);
  if (parsed.kind !== 'polygon') throw new Error(parsed.message);
  return parsed;
}

/** Positions, not counting those that close their rings. */
function verticesOf({ polygon: parts }: ReturnType<typeof polygonOf>): number {
  return parts.flat().reduce((sum, ring) => sum + ring.length - 1, 0);
}

describe('a valid polygon', () => {
  it('is accepted with holes, and its closing positions do not count', () => {
    const parsed = polygonOf(polygon(square(5, 51, 1), square(5.2, 51.2, 0.1)));
    expect(parsed.polygon).toEqual([[square(5, 51, 1), square(5.2, 51.2, 0.1)]]);
    expect(verticesOf(parsed)).toBe(8);
  });

  it('is accepted in either winding', () => {
    const ring = square(5, 51, 1);
    expect(verticesOf(polygonOf(polygon([...ring].reverse())))).toBe(4);
  });

  it('loses third coordinates, bbox and foreign fields', () => {
    const ring = square(5, 51, 1).map((position) => [...position, 12.5]);
    const parsed = polygonOf({ ...polygon(ring), bbox: [5, 51, 6, 52], colour: 'red' });
    expect(parsed.polygon).toEqual([[square(5, 51, 1)]]);
  });

  it('has the same result with heights as without', () => {
    const degree = fc.integer({ min: -3, max: 3 });
    const astray = fc.constantFrom(90, 180, 181, -181, Number.POSITIVE_INFINITY, '5', null);
    const position = fc.oneof(
      { weight: 20, arbitrary: fc.tuple(degree, degree) },
      { weight: 1, arbitrary: fc.tuple(degree, astray) },
      { weight: 1, arbitrary: fc.tuple(astray, degree) },
    );
    const ring = fc.array(position, { maxLength: 7 });
    fc.assert(
      fc.property(ring, (positions) => {
        const flat = [...positions, ...positions.slice(0, 1)];
        const high = flat.map((at) => [...at, 12.5]);
        const parsed = (coordinates: unknown) => parseJobPolygon({ type: 'Polygon', coordinates });
        expect(parsed([high])).toEqual(parsed([flat]));
      }),
    );
  });

  it('is unwrapped from a Feature', () => {
    const geometry = polygon(square(5, 51, 1));
    const feature = { type: 'Feature', id: 7, properties: {}, geometry };
    expect(polygonOf(feature)).toEqual(polygonOf(geometry));
  });

  it.each([
    'EPSG:4326',
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'urn:ogc:def:crs:EPSG::4326',
    'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
  ])('may name %s in the legacy field', (name) => {
    const crs = { type: 'name', properties: { name } };
    expect(verticesOf(polygonOf({ ...polygon(square(5, 51, 1)), crs }))).toBe(4);
  });

  it('may have an island in another polygon’s hole, and rings that touch in a point', () => {
    const shell = square(0, 0, 10);
    const hole = square(2, 2, 6);
    expect(verticesOf(polygonOf(multi([shell, hole], [square(3, 3, 2)])))).toBe(12);
    expect(verticesOf(polygonOf(multi([square(0, 0, 1)], [square(1, 1, 1)])))).toBe(8);
    const touchingHole = [
      [0, 5],
      [3, 4],
      [3, 6],
      [0, 5],
    ];
    expect(verticesOf(polygonOf(polygon(shell, touchingHole)))).toBe(7);
  });

  it('may repeat a position', () => {
    const [first, ...rest] = square(5, 51, 1);
    expect(verticesOf(polygonOf(polygon([first ?? [], first ?? [], ...rest])))).toBe(5);
  });

  it(`may have ${MAX_VERTICES} vertices, and no more`, () => {
    const star = (vertices: number): Ring => {
      const ring = Array.from({ length: vertices }, (_, i) => {
        const angle = (2 * Math.PI * i) / vertices;
        const radius = i % 2 === 0 ? 1 : 0.6;
        return [5 + radius * Math.cos(angle), 51 + radius * Math.sin(angle)];
      });
      return [...ring, ring[0] ?? []];
    };
    expect(verticesOf(polygonOf(polygon(star(MAX_VERTICES))))).toBe(MAX_VERTICES);
    const problem = problemOf(polygon(star(MAX_VERTICES + 2)));
    expect(problem.code).toBe('too_many_vertices');
    expect(problem.message).toContain('10002 vertices; at most 10000');
  });
});

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
    expect(problem.message).toContain(
      'Ring 0 intersects itself at lon 5.5, lat 51.5: its edge from vertex 0 to 1 crosses its edge from vertex 2 to 3.',
    );
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
    ['a ring run twice', [...square(0, 0, 1), ...square(0, 0, 1).slice(1)]],
  ])('is rejected for %s', (_, ring) => {
    expect(problemOf(polygon(ring)).code).toBe('geometry_self_intersection');
  });

  it('is rejected with the ring that is not closed', () => {
    const problem = problemOf(polygon(square(5, 51, 1), square(5.2, 51.2, 0.1).slice(0, 4)));
    expect(problem).toMatchObject({ code: 'ring_not_closed', location: { ring: 1, vertex: 3 } });
    expect(problem.message).toContain('Ring 1 (coordinates[1]) is not closed');
  });

  it.each([
    ['metres', [178_000, 331_000], 'projected'],
    ['latitude first', [51, 120], 'longitude first'],
    ['a longitude past 180', [181, 51], 'within ±180'],
    ['a longitude past 180, wrapped', [181.25, 51], '181.25 as -178.75'],
    ['a longitude past −180, wrapped', [-200, 51], '-200 as 160'],
    ['a longitude past 180, explained', [181, 51], 'MultiPolygon'],
    ['1e999', [Number.POSITIVE_INFINITY, 51], 'within ±180'],
  ])('is rejected for coordinates out of range: %s', (_, position, hint) => {
    const problem = problemOf(polygon([[5, 51], position, [6, 52], [5, 51]]));
    expect(problem.code).toBe('coordinates_out_of_range');
    expect(problem.message).toContain(hint);
    expect(problem.message).toContain('vertex 1');
  });

  it.each([
    ['a hole outside', polygon(square(0, 0, 1), square(3, 3, 1)), 'geometry_hole_outside_shell'],
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
    ['polygons in polygons', multi([square(0, 0, 9)], [square(1, 1, 1)]), 'geometry_rings_overlap'],
    [
      'the larger of two polygons last',
      multi([square(1, 1, 1)], [square(0, 0, 9)]),
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
    [
      { ...polygon(square(5, 51, 1)), crs: { properties: { name: 'EPSG:28992' } } },
      'crs_not_supported',
    ],
    [{ ...polygon(square(5, 51, 1)), crs: 'nonsense' }, 'crs_not_supported'],
  ])('%j is rejected with %s', (value, code) => {
    expect(problemOf(value).code).toBe(code);
  });

  it.each([
    ['abc', 'must be a GeoJSON object; got "abc".'],
    [{ type: 'Feature' }, 'got nothing.'],
    [{ type: 'MultiPolygon', coordinates: [] }, 'got an empty array.'],
    [{ type: 'Polygon' }, 'coordinates must be an array of at least one ring'],
    [{ type: 'Polygon' }, 'got nothing.'],
    [{ type: 'Polygon', coordinates: 'x'.repeat(41) }, '41 characters'],
    [{ type: 'Polygon', coordinates: [{ lon: 5 }] }, 'got an object.'],
    [polygon([[5, 51]]), 'got an array of 1.'],
    [polygon([['5', 51] as never, [6, 51], [6, 52], [5, 51]]), 'got ["5", 51].'],
    [polygon([[5], [6, 51], [6, 52], [5]]), 'got an array of 1.'],
    [polygon([[null, 51] as never, [6, 51], [6, 52], [5, 51]]), 'got [null, 51].'],
  ])('describes %j in the message', (value, message) => {
    expect(problemOf(value).message).toContain(message);
  });

  it('never makes the parser throw for arbitrary JSON', () => {
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
