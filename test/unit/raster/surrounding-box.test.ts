import { expect, it } from 'vitest';
import { transformOf } from '../../../engine/projection/transform.ts';
import { surroundingBox } from '../../../engine/raster/grid/clip.ts';
import { rdGrid } from '../../support/raster/builders.ts';

it('projects the edges of a grid once, however many polygons are planned on it', () => {
  const grid = rdGrid();
  const { forward, inverse } = transformOf(grid);
  let projected = 0;
  const transform = {
    forward,
    inverse: (position: Parameters<typeof inverse>[0]) => {
      projected += 1;
      return inverse(position);
    },
  };
  const box = surroundingBox(grid, transform);
  const once = projected;
  expect(once).toBeGreaterThan(0);
  expect(surroundingBox(grid, transform)).toEqual(box);
  expect(projected).toBe(once);
});
