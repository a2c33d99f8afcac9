import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Ring } from '../../../engine/geometry/polygon.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';
import {
  findSurroundingBox,
  type LonLatBox,
  ringsWithin,
} from '../../../engine/raster/grid/clip.ts';
import { rdGrid } from '../../support/raster/builders.ts';

const BOX: LonLatBox = [4, 50, 6, 52];

const around = (from: number, to: number) => fc.double({ min: from - 1, max: to + 1, noNaN: true });
const vertex = fc.tuple(around(BOX[0], BOX[2]), around(BOX[1], BOX[3]));

it('clipping an edge gives the same ends in both directions, so that neighbours share them', () => {
  const property = fc.property(fc.array(vertex, { minLength: 3, maxLength: 8 }), (vertices) => {
    const ring = [...vertices, ...vertices.slice(0, 1)];
    const verticesOf = (rings: readonly Ring[]) => new Set(rings.flat().map(String));
    // A neighbour's ring has the shared edges in the other direction.
    expect(verticesOf(ringsWithin(ring.toReversed(), BOX))).toEqual(
      verticesOf(ringsWithin(ring, BOX)),
    );
  });
  fc.assert(property);
});

it('the edges of a grid are projected once, however many polygons are planned on it', () => {
  const grid = rdGrid();
  const { forward, inverse } = transformOfGrid(grid);
  let projected = 0;
  const transform = {
    forward,
    inverse: (position: Parameters<typeof inverse>[0]) => {
      projected += 1;
      return inverse(position);
    },
  };
  const box = findSurroundingBox(grid, transform);
  const once = projected;
  expect(once).toBeGreaterThan(0);
  expect(findSurroundingBox(grid, transform)).toEqual(box);
  expect(projected).toBe(once);
});
