import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { discAround } from '../../../console/files/discs.ts';
import { MOST_RADIUS } from '../../../console/files/file-limits.ts';
import { computeHectares } from '../../../engine/geometry/ellipsoid.ts';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';

const position = z.tuple([z.number(), z.number()]);
const discs = z
  .array(z.strictObject({ place: position, radius: z.number(), corners: z.array(position) }))
  .parse(
    JSON.parse(readFileSync(new URL('../../fixtures/fields/discs.json', import.meta.url), 'utf8')),
  );

function hectaresOf(disc: unknown): number {
  const parsed = parseJobPolygon(disc);
  if (parsed.kind === 'problem') throw new Error(parsed.code);
  return computeHectares(parsed.polygon);
}

describe('the disc around a point', () => {
  it.each(discs)('has the corners that PROJ computes: $place, $radius m', (expected) => {
    const disc = discAround(expected.place, expected.radius);
    const [ring = []] = disc?.type === 'Polygon' ? disc.coordinates : [];
    expect(ring).toHaveLength(expected.corners.length + 1);
    expect(ring.at(-1)).toEqual(ring[0]);
    expected.corners.forEach(([lon, lat], index) => {
      // Both are rounded to 10⁻⁹ degrees.
      expect(ring[index]?.[0]).toBeCloseTo(lon, 8);
      expect(ring[index]?.[1]).toBeCloseTo(lat, 8);
    });
  });

  it('has the area of a circle to half a percent, and the largest radius fits the area limit of a job', () => {
    for (const radius of [1, 50, MOST_RADIUS]) {
      const circle = (Math.PI * radius ** 2) / 10_000;
      const share = hectaresOf(discAround([5.74, 50.967], radius)) / circle;
      expect(Math.abs(share - 1)).toBeLessThan(0.005);
    }
    const largest = (radius: number) => (Math.PI * radius ** 2) / 10_000;
    expect(largest(MOST_RADIUS)).toBeLessThanOrEqual(LIMITS.hectaresPerJob);
    expect(largest(MOST_RADIUS + 1)).toBeGreaterThan(LIMITS.hectaresPerJob);
  });

  it.each([
    [[179.9999, -16.8]],
    [[-179.9999, -16.8]],
    [[180, 66]],
    [[-180, 66]],
    [[0, 89.5]],
    [[0, -90]],
    [[181_000, 332_500]],
    [[Number.NaN, 50]],
    [[]],
  ])('does not exist at %j', (place) => {
    expect(discAround(place, 50)).toBeNull();
  });
});
