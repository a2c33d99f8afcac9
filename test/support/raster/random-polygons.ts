import fc from 'fast-check';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';
import type { Position } from '../../../engine/geometry/polygon.ts';

/**
 * Draws valid star-shaped polygons over 40 × 30 cells, some of which have a hole, have a second part or are thin. Each
 * call returns the same polygons.
 */
export function randomPolygons(wanted: number): Position[][][][] {
  const point = fc.record({
    turn: fc.double({ min: 0.1, max: 1, noNaN: true }),
    reach: fc.double({ min: 0.2, max: 1, noNaN: true }),
  });
  const star = fc.record({
    col: fc.double({ min: 1, max: 39, noNaN: true }),
    row: fc.double({ min: 1, max: 29, noNaN: true }),
    size: fc.double({ min: 0.3, max: 20, noNaN: true }),
    /** Height divided by width; a small value makes a sliver. */
    squeeze: fc.constantFrom(1, 1, 0.3, 0.01),
    points: fc.oneof(
      fc.array(point, { minLength: 3, maxLength: 24 }),
      fc.array(point, { minLength: 150, maxLength: 200 }),
    ),
    holed: fc.boolean(),
  });
  const polygon = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(star) },
    { weight: 1, arbitrary: fc.tuple(star, star) },
  );
  return fc
    .sample(polygon, { numRuns: wanted * 2, seed: 20_260_101 })
    .map((stars) => stars.map(drawRings))
    .filter((coordinates) => {
      const small = coordinates.map((rings) =>
        rings.map((ring) => ring.map(([x, y]) => [x / 10, y / 10])),
      );
      return parseJobPolygon({ type: 'MultiPolygon', coordinates: small }).kind === 'polygon';
    })
    .slice(0, wanted);
}

interface Star {
  readonly col: number;
  readonly row: number;
  readonly size: number;
  readonly squeeze: number;
  readonly points: readonly { readonly turn: number; readonly reach: number }[];
  readonly holed: boolean;
}

function drawRings({ col, row, size, squeeze, points, holed }: Star): Position[][] {
  const all = points.reduce((sum, { turn }) => sum + turn, 0);
  // The factor makes coordinates odd thousandths, so that no corner is on a cell's centre or edge, where programs have
  // different rules.
  const toOddThousandth = (value: number): number => (2 * Math.round(value * 500) + 1) / 1000;
  let angle = 0;
  const ring = points.map(({ turn, reach }): Position => {
    angle += (2 * Math.PI * turn) / all;
    return [
      toOddThousandth(col + size * reach * Math.cos(angle)),
      toOddThousandth(row + size * squeeze * reach * Math.sin(angle)),
    ];
  });
  const shell = [...ring, ...ring.slice(0, 1)];
  const shrink = ([x, y]: Position): Position => [
    toOddThousandth(col + (x - col) * 0.1),
    toOddThousandth(row + (y - row) * 0.1),
  ];
  return holed ? [shell, shell.map(shrink)] : [shell];
}
