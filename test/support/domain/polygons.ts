import { aBox } from '../box.ts';

const polygon = (...rings: readonly (readonly (readonly [number, number])[])[]) => ({
  type: 'Polygon',
  coordinates: rings,
});

/** A field completely inside the coverage, with a hole; about 40 ha. */
export const FIELD = polygon(
  [
    [5.7345, 50.9665],
    [5.7425, 50.9655],
    [5.7455, 50.9715],
    [5.7375, 50.9735],
    [5.7345, 50.9665],
  ],
  [
    [5.7385, 50.9685],
    [5.7395, 50.9705],
    [5.7415, 50.97],
    [5.7405, 50.968],
    [5.7385, 50.9685],
  ],
);

/** A polygon larger than the coverage on every side, and therefore partly outside. */
export const FLOOD_PLAIN = aBox(5.7208, 50.9555, 5.7655, 50.993);

export const BOW_TIE = polygon([
  [5.735, 50.97],
  [5.745, 50.976],
  [5.745, 50.97],
  [5.735, 50.976],
  [5.735, 50.97],
]);

/** A field of about 3 × 3 m, between the centres of 10 m cells. */
export const TINY = aBox(5.74, 50.97, 5.74004, 50.97003);

/** This field is on the pack's grid but outside its coverage; no cell there has covariates. */
export const CORNER_OF_THE_GRID = aBox(5.763, 50.9566, 5.765, 50.958);

/** {@link FIELD}, together with {@link TINY} moved out of its hole. */
export const FIELD_AND_SPECK = {
  type: 'MultiPolygon',
  coordinates: [FIELD.coordinates, aBox(5.74, 50.976, 5.74004, 50.97603).coordinates],
};

export const UTRECHT = aBox(5.1, 52.08, 5.11, 52.09);

/** About 70,000 ha. */
export const PROVINCE = aBox(5.6, 50.8, 5.9, 51.1);

/** This polygon would be inside the coverage if its longitude came first. */
export const LATITUDE_FIRST = aBox(50.9665, 5.7345, 50.9715, 5.7425);

/**
 * Returns a field that extends `width` degrees to either side of the antimeridian, as a client that ignores RFC 7946,
 * section 3.1.9, sends it.
 */
export const overAntimeridian = (width: number) =>
  polygon([
    [180 - width, -17],
    [-180 + width, -17],
    [-180 + width, -17 + width],
    [180 - width, -17 + width],
    [180 - width, -17],
  ]);
