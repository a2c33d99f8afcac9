import { describe, expect, it } from 'vitest';
import type { MultiPolygonRings } from '../../../engine/geometry/polygon.ts';
import type { Grid } from '../../../engine/raster/grid/grid.ts';
import { countGridCrossings } from '../../../engine/raster/grid/grid-crossings.ts';
import { projectPolygon } from '../../../engine/raster/grid/project.ts';
import { boxRing } from '../../support/box.ts';
import { rdGrid, rectangle, toLonLat, toPolygon } from '../../support/raster/builders.ts';
import { randomPolygons } from '../../support/raster/random-polygons.ts';

/** Counts the rows and columns that the planned edges cross. Planning splits edges where they bend. */
function plannedCrossings(polygon: MultiPolygonRings, grid: Grid): number {
  let sum = 0;
  for (const ring of projectPolygon(polygon, grid).rings) {
    for (let i = 2; i + 1 < ring.length; i += 2) {
      sum += Math.abs((ring[i] ?? 0) - (ring[i - 2] ?? 0));
      sum += Math.abs((ring[i + 1] ?? 0) - (ring[i - 1] ?? 0));
    }
  }
  return sum;
}

describe('the crossings of an outline with a grid', () => {
  const grid = rdGrid();

  it('are twice the sum of width and height for a rectangle', () => {
    const crossings = countGridCrossings(
      toPolygon(rectangle(grid, [10.2, 20.2, 150.2, 60.2])),
      grid,
    );
    expect(crossings).toBe(2 * (140 + 40));
  });

  it('match those of the planned edges', () => {
    for (const coordinates of randomPolygons(200)) {
      const polygon = coordinates.map((rings) => rings.map((ring) => toLonLat(grid, ring)));
      const planned = plannedCrossings(polygon, grid);
      expect(Math.abs(countGridCrossings(polygon, grid) - planned)).toBeLessThan(
        1 + planned / 1_000,
      );
    }
  });

  it('follow a bent edge, such as a parallel around the pole, which ends where it starts', () => {
    const proj4 = '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=0 +datum=WGS84 +units=m +no_defs';
    const arctic: Grid = {
      ...rdGrid({ origin: [-4e6, 4e6], cell_size: 1_000, width: 8_000, height: 8_000 }),
      crs: { epsg: 3995, name: 'WGS 84 / Arctic Polar Stereographic', proj4 },
    };
    const cap = toPolygon(boxRing(-180, 70, 180, 90));
    const planned = plannedCrossings(cap, arctic);
    expect(planned).toBeGreaterThan(8 * 2_000);
    expect(countGridCrossings(cap, arctic) / planned).toBeGreaterThan(0.9);
  });

  it('are zero far from the grid', () => {
    expect(countGridCrossings(toPolygon(boxRing(100, 10, 101, 11)), grid)).toBe(0);
  });
});
