import { describe, expect, it } from 'vitest';
import type { MultiPolygonRings, Position } from '../../../engine/geometry/polygon.ts';
import { type Grid, windowOrigin } from '../../../engine/raster/grid/grid.ts';
import { planCells } from '../../../engine/raster/grid/plan.ts';
import { projectPolygon } from '../../../engine/raster/grid/project.ts';
import { rasterise } from '../../../engine/raster/grid/rasterise.ts';
import { rdGrid } from '../../support/raster/builders.ts';
import { runCheck } from './run-check.ts';

/** The south-west, south-east, north-east and north-west corners of a field near Taveuni, Fiji, across 180°. */
const FIELD: readonly [Position, Position, Position, Position] = [
  [179.93, -16.92],
  [180.04, -16.94],
  [180.06, -16.81],
  [179.95, -16.78],
];

/** The field split at the antimeridian, as RFC 7946 (section 3.1.9) requires. */
function cut([a, b, c, d]: typeof FIELD): MultiPolygonRings {
  const at180 = (from: Position, to: Position): Position => [
    180,
    from[1] + ((180 - from[0]) / (to[0] - from[0])) * (to[1] - from[1]),
  ];
  const [south, north] = [at180(a, b), at180(d, c)];
  const back = ([lon, lat]: Position): Position => [lon - 360, lat];
  return [[[a, south, north, d, a]], [[south, b, c, north, south].map(back)]];
}

const grid = (epsg: number, proj4: string, changes: Partial<Grid>): Grid => ({
  ...rdGrid(),
  crs: { epsg, name: `EPSG:${epsg}`, proj4 },
  tile_size: 512,
  block_tiles: 1,
  ...changes,
});

const LONGLAT = '+proj=longlat +datum=WGS84 +no_defs';
const GRIDS: readonly (readonly [string, Grid])[] = [
  [
    'Pacific Mercator (EPSG:3832)',
    grid(3832, '+proj=merc +lon_0=150 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs', {
      origin: [3_300_003, -1_880_004],
      cell_size: 37,
      width: 2000,
      height: 1500,
    }),
  ],
  [
    'UTM zone 60S, past its eastern end',
    grid(32760, '+proj=utm +zone=60 +south +datum=WGS84 +units=m +no_defs', {
      origin: [790_007, 8_150_003],
      cell_size: 30,
      width: 1500,
      height: 1200,
    }),
  ],
  [
    'UTM zone 1S, before its western end',
    grid(32701, '+proj=utm +zone=1 +south +datum=WGS84 +units=m +no_defs', {
      origin: [150_003, 8_150_003],
      cell_size: 30,
      width: 1500,
      height: 1200,
    }),
  ],
  [
    'degrees from 177 to 183',
    grid(4326, LONGLAT, {
      origin: [177, -15],
      cell_size: 0.0003,
      width: 20_000,
      height: 15_000,
    }),
  ],
  [
    'degrees from −183 to −177',
    grid(4326, LONGLAT, {
      origin: [-183, -15],
      cell_size: 0.0003,
      width: 20_000,
      height: 15_000,
    }),
  ],
  [
    'degrees around the Earth, from −180',
    grid(4326, LONGLAT, {
      origin: [-180, 90],
      cell_size: 0.00025,
      width: 1_440_000,
      height: 720_000,
    }),
  ],
  [
    'degrees around the Earth, from 0',
    grid(4326, LONGLAT, {
      origin: [0, 90],
      cell_size: 0.00025,
      width: 1_440_000,
      height: 720_000,
    }),
  ],
  [
    'degrees around the Earth and 0.001° more, as in OpenLandMap at 30 m',
    grid(4326, LONGLAT, {
      origin: [-180.0005, 76.0005],
      cell_size: 0.00025,
      width: 1_440_004,
      height: 528_004,
    }),
  ],
];

describe.each(GRIDS)('a field across the antimeridian, on a grid in %s', (_, of) => {
  const polygon = cut(FIELD);
  const plan = planCells(polygon, of);

  it("has a window of the field's size within the grid", () => {
    expect(plan?.warnings).toEqual([]);
    expect(plan?.window.width).toBeLessThan(600);
    expect(plan?.window.height).toBeLessThan(700);
  });

  it('has the cells that GDAL finds for the unsplit field, except near its edge', async () => {
    if (plan === null) throw new Error('the field lies elsewhere');
    const { window } = plan;
    const mask = rasterise(projectPolygon(polygon, of), window);
    const origin = windowOrigin(window, of);
    // Shifts longitudes by whole turns, into the window's range.
    const turn = of.crs.epsg === 4326 ? 360 * Math.round((origin[0] - 179.9) / 360) : 0;
    const ring = [...FIELD, FIELD[0]].map(([lon, lat]) => [lon + turn, lat]);
    const request = {
      ...{ crs: `EPSG:${of.crs.epsg}`, origin, cell: of.cell_size, ring },
      ...{ width: window.width, height: window.height },
      mask: Buffer.from(mask).toString('base64'),
    };
    const verdict = await runCheck('check_antimeridian.py', [], JSON.stringify(request));
    expect(verdict).toMatchObject({ astray: 0 });
    expect(Math.abs((verdict as { gdal: number }).gdal - plan.pointCount)).toBeLessThan(20);
    expect(plan.pointCount).toBeGreaterThan(50_000);
  });

  it('has as many cells in blocks of 2 × 2 tiles as in blocks of one tile', () => {
    const whole = planCells(polygon, of, { blockTiles: 2 });
    expect(whole?.pointCount).toBe(plan?.pointCount);
    expect(whole?.window).toEqual(plan?.window);
  });
});

describe('a grid wider than the Earth', () => {
  const of = grid(4326, LONGLAT, {
    origin: [-180.0005, 76.0005],
    ...{ cell_size: 0.001, width: 360_001, height: 132_001 },
  });
  /** A field of 40 by 20 cells. Its western side is this many cells east of 179.9995° (west if negative). */
  const field = (cells: number): MultiPolygonRings => {
    const west = 179.9995 + cells * 0.001;
    const corner = (across: number, down: number): Position => [
      west + across * 0.001,
      10.0005 - down * 0.001,
    ];
    return cut([corner(0, 20), corner(40, 20), corner(40, 0), corner(0, 0)]);
  };

  it.each([-39, -20, -1])(
    'plans 800 cells for a field across 180° that starts %d cells from 179.9995°',
    (cells) => {
      const plan = planCells(field(cells), of);
      expect(plan?.pointCount).toBe(800);
      expect(plan?.window).toMatchObject({ width: 40, height: 20 });
    },
  );

  it.each([-180.0002, -180, -179.9998])('has a small window for a field at %d°', (west) => {
    const [east, north] = [west + 0.04, 10.02];
    const ring: readonly Position[] = [
      [west, 10],
      [east, 10],
      [east, north],
      [west, north],
      [west, 10],
    ];
    expect(planCells([[ring]], of)?.window.width).toBeLessThanOrEqual(41);
  });
});

describe('the cells of a polygon next to the antimeridian', () => {
  const west: Position[] = [
    [-179.99, -16.9],
    [-179.9, -16.9],
    [-179.9, -16.8],
    [-179.99, -16.9],
  ];

  it.each(GRIDS)('lie only on its side: %s', (_, of) => {
    const plan = planCells([[west]], of);
    expect(plan?.window.width).toBeLessThan(500);
    expect(plan?.pointCount).toBeGreaterThan(5_000);
  });

  it('are none if the grid lies on the other side and ends at 180°', () => {
    const fiji = grid(4326, LONGLAT, {
      origin: [177, -15],
      cell_size: 0.0003,
      width: 10_000,
      height: 15_000,
    });
    expect(planCells([[west]], fiji)).toBeNull();
    const plan = planCells(cut(FIELD), fiji);
    expect(plan?.window.col).toBeGreaterThan(9_700);
    expect((plan?.window.col ?? 0) + (plan?.window.width ?? 0)).toBe(10_000);
  });
});
