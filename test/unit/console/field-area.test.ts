import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fieldHectares } from '../../../console/fields/field-area.ts';
import { computeHectares } from '../../../engine/geometry/ellipsoid.ts';

type Position = [longitude: number, latitude: number];

const ring = fc
  .tuple(
    fc.double({ min: -170, max: 170, noNaN: true }),
    fc.double({ min: -80, max: 80, noNaN: true }),
    fc.double({ min: 1e-4, max: 5, noNaN: true }),
    fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 3, maxLength: 12 }),
  )
  .map(([lon, lat, radius, distances]): Position[] => {
    const corners = distances.map((distance, i): Position => {
      const angle = (2 * Math.PI * i) / distances.length;
      const away = distance * radius;
      return [lon + away * Math.cos(angle), lat + away * Math.sin(angle)];
    });
    return [...corners, ...corners.slice(0, 1)];
  });

it("the area of a field differs from the service's by less than a hundred-millionth", () => {
  fc.assert(
    fc.property(fc.array(ring, { minLength: 1, maxLength: 3 }), fc.boolean(), (rings, isOne) => {
      const polygons = isOne ? [rings] : rings.map((one) => [one]);
      const field = fieldHectares(
        isOne
          ? { type: 'Polygon', coordinates: rings }
          : { type: 'MultiPolygon', coordinates: polygons },
      );
      const service = computeHectares(polygons);
      const whole = computeHectares(rings.map((one) => [one]));
      expect(Math.abs(field - service)).toBeLessThanOrEqual(1e-8 * whole);
    }),
  );
});
