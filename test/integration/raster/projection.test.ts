import { describe, expect, it } from 'vitest';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';
import { isGeographic, windowOrigin } from '../../../engine/raster/grid/grid.ts';
import { projectPolygon } from '../../../engine/raster/grid/project.ts';
import { RD_PROJ4, rdGrid, toLonLat, toPolygon } from '../../support/raster/builders.ts';
import { runCheck } from './run-check.ts';

const grid = rdGrid();

const places: readonly Position[] = [
  [5.75, 50.97],
  [4.9, 52.37],
  [6.57, 53.22],
  [5.38763888888889, 52.1561605555556],
  [3.6, 51.5],
];

describe('the grid’s CRS', () => {
  it('agrees with PROJ to a metre, including the datum shift', async () => {
    const expected = (await runCheck(
      'check_projection.py',
      [RD_PROJ4],
      JSON.stringify(places),
    )) as Position[];
    for (const [i, place] of places.entries()) {
      const [x, y] = transformOfGrid(grid).forward(place);
      const [x0, y0] = expected[i] ?? [Number.NaN, Number.NaN];
      expect(Math.hypot(x - x0, y - y0)).toBeLessThan(1);
    }
  });

  it('agrees with PROJ’s best transformation of EPSG:28992 (PROJ 9)', () => {
    const [x, y] = transformOfGrid(grid).forward([5.75, 50.97]);
    expect(Math.hypot(x - 180_484.569, y - 331_209.228)).toBeLessThan(1);
  });

  it('has an inverse', () => {
    const { forward, inverse } = transformOfGrid(grid);
    for (const place of places) {
      const [lon, lat] = inverse(forward(place));
      expect(lon).toBeCloseTo(place[0], 8);
      expect(lat).toBeCloseTo(place[1], 8);
    }
  });

  it('is distinguished from a CRS in degrees', () => {
    expect(isGeographic(grid)).toBe(false);
    const crs = { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84 +no_defs' };
    expect(isGeographic(rdGrid({ crs }))).toBe(true);
  });

  it('places the origin of a window at the corner of its first cell', () => {
    expect(windowOrigin({ col: 3, row: 5, width: 1, height: 1 }, grid)).toEqual([178_470, 333_710]);
  });
});

describe('the projection of a straight WGS84 edge', () => {
  /** A parallel is curved in RD. */
  const wide = rdGrid({ origin: [10_000, 620_000], width: 27_000, height: 32_000 });
  const corners: readonly Position[] = [
    [3.6, 51.4],
    [7.2, 51.4],
    [7.2, 53.4],
    [3.6, 51.4],
  ];

  it('is accurate to a tenth of a cell', () => {
    const [ring] = projectPolygon(toPolygon([...corners]), wide).rings;
    if (ring === undefined) throw new Error('no ring');
    const { forward } = transformOfGrid(wide);
    for (let i = 0; i <= 1000; i += 1) {
      const [x, y] = forward([3.6 + (3.6 * i) / 1000, 51.4]);
      const col = (x - wide.origin[0]) / wide.cell_size;
      const row = (wide.origin[1] - y) / wide.cell_size;
      expect(distanceToRing(ring, col, row)).toBeLessThan(0.1);
    }
  });

  it('has on average fewer than 256 points', () => {
    const [ring] = projectPolygon(toPolygon([...corners]), wide).rings;
    expect(ring?.length).toBeLessThan(2 * 3 * 256);
  });

  it('has the same points in both directions', () => {
    const [there] = projectPolygon(toPolygon([...corners]), wide).rings;
    const [back] = projectPolygon(toPolygon([...corners].reverse()), wide).rings;
    const pairs = (ring: Float64Array | undefined) =>
      Array.from(
        { length: (ring?.length ?? 0) / 2 },
        (_, i) => `${ring?.[2 * i]} ${ring?.[2 * i + 1]}`,
      );
    expect(pairs(back)).toEqual(pairs(there).reverse());
  });
});

describe('a polygon far larger than the grid', () => {
  it('is clipped to the grid’s surroundings before projection', () => {
    const world: Position[] = [
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
      [-180, -90],
    ];
    const [ring] = projectPolygon(toPolygon(world), grid).rings;
    expect(ring?.every(Number.isFinite)).toBe(true);
    expect(Math.max(...(ring ?? []))).toBeLessThan(2 * 416);
  });

  it('has no rings if it is far from the grid', () => {
    expect(
      projectPolygon(
        toPolygon([
          [10, -40],
          [11, -40],
          [11, -41],
          [10, -40],
        ]),
        grid,
      ).rings,
    ).toEqual([]);
  });
});

it('the conversions from cells to degrees and back are inverse to each other', () => {
  const [ring] = projectPolygon(
    toPolygon(
      toLonLat(grid, [
        [1, 2],
        [30, 2],
        [30, 40],
        [1, 2],
      ]),
    ),
    grid,
  ).rings;
  expect([...(ring ?? [])].map((v) => Math.round(v * 1e4) / 1e4)).toEqual([
    1, 2, 30, 2, 30, 40, 1, 2,
  ]);
});

function distanceToRing(ring: Float64Array, col: number, row: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = ring.subarray(i, i + 4);
    const length2 = (x1 - x0) ** 2 + (y1 - y0) ** 2;
    const t = Math.min(Math.max(((col - x0) * (x1 - x0) + (row - y0) * (y1 - y0)) / length2, 0), 1);
    least = Math.min(least, Math.hypot(col - x0 - t * (x1 - x0), row - y0 - t * (y1 - y0)));
  }
  return least;
}
