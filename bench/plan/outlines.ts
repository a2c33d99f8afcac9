import { parseJobPolygon } from '#engine/geometry/parse.ts';
import type { Grid } from '#engine/raster/grid/grid.ts';
import { gridCrossings } from '#engine/raster/grid/grid-crossings.ts';
import { planCells, planWindow } from '#engine/raster/grid/plan.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { thinZigzag } from '../../test/support/thin-zigzag.ts';

// Usage: outlines
// CPU seconds to parse and plan outlines near the limit of grid crossings.

const METRES_PER_DEGREE = 111_200;
const cut = { tile_size: 512, block_tiles: 16 };

/** 10 m over the Netherlands, in metres from the equator and the meridian of 5° 23′. */
const netherlands: Grid = {
  ...cut,
  crs: {
    epsg: 28992,
    name: 'Amersfoort / RD New',
    proj4:
      '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,-1.87740163998045,4.0725 +units=m +no_defs',
  },
  origin: [0, 625_000],
  cell_size: 10,
  width: 28_000,
  height: 32_500,
};

/** 1 km around the North Pole, where edges along parallels bend most. */
const arctic: Grid = {
  ...cut,
  crs: {
    epsg: 3995,
    name: 'WGS 84 / Arctic Polar Stereographic',
    proj4: '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=0 +datum=WGS84 +units=m +no_defs',
  },
  origin: [-4e6, 4e6],
  cell_size: 1_000,
  width: 8_000,
  height: 8_000,
};

/** Edge in tiles of the largest raster. */
const tiles = Math.sqrt(LIMITS.tilesPerRaster);
const fine: Grid = { ...netherlands, cell_size: 1, width: tiles * 512, height: tiles * 512 };

/** A zigzag from north to south over the Netherlands, near the limit of grid crossings. */
function strokes(vertices: number) {
  const rows = (0.95 * LIMITS.gridCrossingsPerJob) / vertices;
  const height = (rows * netherlands.cell_size) / METRES_PER_DEGREE;
  return thinZigzag([3.5, 50.8, 7.1, 50.8 + height], vertices, 1e-12);
}

/** A zigzag along parallels around the pole. */
function parallels(vertices: number) {
  const [ring = []] = thinZigzag([55, -170, 89, 170], vertices, 1e-12).coordinates;
  return { type: 'Polygon', coordinates: [ring.map(([lat, lon]) => [lon, lat])] };
}

const square = {
  type: 'Polygon',
  coordinates: [
    [
      [3.4, 51.3],
      [6.9, 51.3],
      [6.9, 53.55],
      [3.4, 53.55],
      [3.4, 51.3],
    ],
  ],
};

const shapes: readonly (readonly [string, Grid, unknown])[] = [
  ['zigzag of 200 vertices, 10 m cells', netherlands, strokes(200)],
  ['zigzag of 10,000 vertices, 10 m cells', netherlands, strokes(LIMITS.verticesPerJob)],
  ['zigzag of 130 vertices around the pole, 1 km cells', arctic, parallels(130)],
  ['box of 250 km, 1 m cells', fine, square],
];

const pace = { pointsPerSecond: 60_000, maxBlocks: LIMITS.patchBatchesPerJob };
console.log(
  JSON.stringify(
    shapes.map(([shape, grid, geometry]) => {
      const before = process.cpuUsage();
      const parsed = parseJobPolygon(geometry);
      if (parsed.kind === 'problem') throw new Error(parsed.message);
      const crossings = gridCrossings(parsed.polygon, grid);
      if (crossings > LIMITS.gridCrossingsPerJob)
        throw new Error(`${shape}: ${crossings} crossings exceed the limit`);
      planWindow(parsed.polygon, grid);
      const cells = planCells(parsed.polygon, grid, { pace })?.pointCount ?? 0;
      const { user, system } = process.cpuUsage(before);
      return { shape, crossings, cells, seconds: (user + system) / 1e6 };
    }),
  ),
);
