import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countByBlock } from '../../../engine/raster/grid/count-cells.ts';
import type { ProjectedPolygon } from '../../../engine/raster/grid/project.ts';
import { rasteriseTouched } from '../../../engine/raster/grid/rasterise.ts';
import { runs } from '../../support/runs.ts';

type Cell = readonly [col: number, row: number];

const closed = (ring: readonly Cell[]): Float64Array =>
  Float64Array.from([...ring, ...ring.slice(0, 1)].flat());

function countsOfMasks(
  projected: ProjectedPolygon,
  window: { col: number; row: number; width: number; height: number },
  edge: number,
  touching: ProjectedPolygon = { rings: [] },
): number[] {
  const counts: number[] = [];
  for (let down = 0; down < window.height; down += edge) {
    for (let across = 0; across < window.width; across += edge) {
      const part = {
        col: window.col + across,
        row: window.row + down,
        width: Math.min(edge, window.width - across),
        height: Math.min(edge, window.height - down),
      };
      const mask = rasteriseTouched(projected, part, touching);
      counts.push(mask.reduce((sum, cell) => sum + cell, 0));
    }
  }
  return counts;
}

const window = { col: 7, row: -3, width: 300, height: 290 };

describe('the cells of each block', () => {
  const vertex = fc.tuple(
    // Half of the coordinates lie on cell centres or edges, where rounding could lose crossings.
    fc.oneof(
      fc.double({ min: -50, max: 400, noNaN: true }),
      fc.integer({ min: 0, max: 700 }).map((n) => n / 2),
    ),
    fc.oneof(
      fc.double({ min: -50, max: 400, noNaN: true }),
      fc.integer({ min: 0, max: 700 }).map((n) => n / 2),
    ),
  );

  it('equal the mask’s count for arbitrary rings', () => {
    const rings = fc.array(fc.array(vertex, { minLength: 3, maxLength: 12 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(rings, fc.constantFrom(32, 64, 100, 512), (shapes, edge) => {
        const projected = { rings: shapes.map(closed) };
        expect([...countByBlock(projected, window, edge)]).toEqual(
          countsOfMasks(projected, window, edge),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('equal the mask’s count when cells that other rings touch are included', () => {
    const shapes = fc.array(fc.array(vertex, { minLength: 3, maxLength: 8 }), { maxLength: 3 });
    fc.assert(
      fc.property(shapes, shapes, fc.constantFrom(32, 100, 512), (inside, along, edge) => {
        const projected = { rings: inside.map(closed) };
        const touching = { rings: along.map(closed) };
        expect([...countByBlock(projected, window, edge, touching)]).toEqual(
          countsOfMasks(projected, window, edge, touching),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('equal the mask’s count if rings cross a row hundreds of times', () => {
    const comb = Array.from({ length: 400 }, (_, i): Cell => [i * 0.8, i % 2 === 0 ? -10 : 280.3]);
    const projected = { rings: [closed([...comb, [320, 300], [0, 300]])] };
    expect([...countByBlock(projected, window, 64)]).toEqual(countsOfMasks(projected, window, 64));
    const thin = { rings: [closed([...comb.slice(0, 40), [320, 300]])] };
    expect([...countByBlock(projected, window, 64, thin)]).toEqual(
      countsOfMasks(projected, window, 64, thin),
    );
  });
});
