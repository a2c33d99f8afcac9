import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';
import { MAX_VERTICES } from '../../../engine/geometry/polygon.ts';
import { squareRing as square } from '../../support/box.ts';
import {
  multiPolygon,
  polygon,
  polygonOf,
  problemOf,
  type Ring,
  verticesOf,
} from './parsed-polygon.ts';

describe('a valid polygon', () => {
  it('is accepted with holes, and its closing positions are not counted', () => {
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

  it('has the same result with and without heights', () => {
    const degree = fc.integer({ min: -3, max: 3 });
    const outOfRange = fc.constantFrom(90, 180, 181, -181, Number.POSITIVE_INFINITY, '5', null);
    const position = fc.oneof(
      { weight: 20, arbitrary: fc.tuple(degree, degree) },
      { weight: 1, arbitrary: fc.tuple(degree, outOfRange) },
      { weight: 1, arbitrary: fc.tuple(outOfRange, degree) },
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
  ])('may name %s in the legacy crs member', (name) => {
    const crs = { type: 'name', properties: { name } };
    expect(verticesOf(polygonOf({ ...polygon(square(5, 51, 1)), crs }))).toBe(4);
  });

  it('may have an island in another polygon’s hole, and rings that touch at a point', () => {
    const shell = square(0, 0, 10);
    const hole = square(2, 2, 6);
    expect(verticesOf(polygonOf(multiPolygon([shell, hole], [square(3, 3, 2)])))).toBe(12);
    expect(verticesOf(polygonOf(multiPolygon([square(0, 0, 1)], [square(1, 1, 1)])))).toBe(8);
    const touchingHole = [
      [0, 5],
      [3, 4],
      [3, 6],
      [0, 5],
    ];
    expect(verticesOf(polygonOf(polygon(shell, touchingHole)))).toBe(7);
  });

  it('may contain repeated positions', () => {
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
    expect(problem.message).toContain('10002');
  });
});
