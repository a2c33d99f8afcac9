import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';
import { planCells } from '../../../engine/raster/grid/plan.ts';
import { projectPolygon } from '../../../engine/raster/grid/project.ts';
import { rasterise } from '../../../engine/raster/grid/rasterise.ts';
import { RD_PROJ4, rdGrid, toPolygon } from '../../support/raster/builders.ts';
import { runCheck } from './run-check.ts';

type Box = readonly [west: number, south: number, east: number, north: number];

/** Definitions as registered by EPSG, with the box in which each system is used. */
const SYSTEMS: readonly (readonly [string, string, Box])[] = [
  ['Amersfoort / RD New', RD_PROJ4, [3.4, 50.8, 7.2, 53.5]],
  [
    'OSGB36 / British National Grid',
    '+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m +no_defs',
    [-7, 50, 1.5, 59],
  ],
  [
    'CH1903+ / LV95',
    '+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=2600000 +y_0=1200000 +ellps=bessel +towgs84=674.374,15.056,405.346,0,0,0,0 +units=m +no_defs',
    [6, 45.9, 10.4, 47.7],
  ],
  [
    'MGI / Austria Lambert',
    '+proj=lcc +lat_0=47.5 +lon_0=13.3333333333333 +lat_1=49 +lat_2=46 +x_0=400000 +y_0=400000 +ellps=bessel +towgs84=577.326,90.129,463.919,5.137,1.474,5.297,2.4232 +units=m +no_defs',
    [9.6, 46.5, 17.1, 49],
  ],
  [
    'ETRS89-extended / LAEA Europe',
    '+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs',
    [-8, 36, 30, 69],
  ],
  [
    'NAD83 / Conus Albers',
    '+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs',
    [-123, 26, -68, 48],
  ],
  [
    'WGS 84 / UTM zone 60S',
    '+proj=utm +zone=60 +south +datum=WGS84 +units=m +no_defs',
    [174, -48, 180, -17],
  ],
  [
    'WGS 84 / NSIDC Sea Ice Polar Stereographic North',
    '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
    [-180, 61, 180, 89],
  ],
];

describe.each(SYSTEMS)('%s', (name, proj4, [west, south, east, north]) => {
  const place = fc.tuple(
    fc.double({ min: west, max: east, noNaN: true }),
    fc.double({ min: south, max: north, noNaN: true }),
  );
  const crs = { epsg: 32_767, name, proj4 };
  const { forward } = transformOfGrid(rdGrid({ crs }));

  it('matches PROJ’s coordinates to a metre, including the datum shift', async () => {
    const places = fc.sample(place, { numRuns: 200, seed: 1 });
    const theirs = (await runCheck(
      'check_projection.py',
      [proj4],
      JSON.stringify(places),
    )) as Position[];
    for (const [i, position] of places.entries()) {
      const [x, y] = forward(position);
      const [x0, y0] = theirs[i] ?? [Number.NaN, Number.NaN];
      expect(Math.hypot(x - x0, y - y0), position.join()).toBeLessThan(1);
    }
  });

  function gridAround(places: readonly Position[]) {
    const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
    const [west, north] = [Math.min(...xs) - 50_000, Math.max(...ys) + 50_000];
    const width = Math.ceil((Math.max(...xs) + 50_000 - west) / 10);
    const height = Math.ceil((north - Math.min(...ys) + 50_000) / 10);
    return rdGrid({ crs, origin: [west, north], cell_size: 10, width, height });
  }

  it('keeps straight WGS84 edges within a tenth of a cell', () => {
    const grid = gridAround(fc.sample(place, { numRuns: 300, seed: 2 }).map(forward));
    const shift = fc.tuple(
      fc.double({ min: -0.5, max: 0.5, noNaN: true }),
      fc.double({ min: -0.5, max: 0.5, noNaN: true }),
    );
    fc.assert(
      fc.property(place, shift, shift, (start, toSecond, toThird) => {
        const corner = (by: readonly [number, number]): Position => [
          Math.min(Math.max(start[0] + by[0], west), east),
          Math.min(Math.max(start[1] + by[1], south), north),
        ];
        const corners = [start, corner(toSecond), corner(toThird), start];
        const [ring = new Float64Array()] = projectPolygon(toPolygon(corners), grid).rings;
        for (const [i, to] of corners.slice(1).entries()) {
          const from = corners[i] ?? to;
          for (let share = 0.013; share < 1; share += 0.031) {
            const [x, y] = forward([
              from[0] + (to[0] - from[0]) * share,
              from[1] + (to[1] - from[1]) * share,
            ]);
            const [col, row] = [(x - grid.origin[0]) / 10, (grid.origin[1] - y) / 10];
            expect(distanceToRing(ring, col, row)).toBeLessThan(0.1);
          }
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('a polygon that is split at the antimeridian as in RFC 7946, section 3.1.9,', () => {
  /** A grid over Fiji, which lies on both sides of the antimeridian. */
  const fiji = rdGrid({
    crs: {
      epsg: 3460,
      name: 'Fiji 1986 / Fiji Map Grid',
      proj4:
        '+proj=tmerc +lat_0=-17 +lon_0=178.75 +k=0.99985 +x_0=2000000 +y_0=4000000 +ellps=WGS72 +towgs84=0,0,4.5,0,0,0.554,0.2263 +units=m +no_defs',
    },
    origin: [2_100_000, 4_010_000],
    cell_size: 100,
    width: 600,
    height: 400,
  });
  const box = (west: number, east: number): Position[] => [
    [west, -17.1],
    [east, -17.1],
    [east, -17],
    [west, -17],
    [west, -17.1],
  ];

  it('is one area, without missing or duplicated columns between its parts', () => {
    const parts = [[box(179.9, 180)], [box(-180, -179.9)]];
    const plan = planCells(parts, fiji);
    if (plan === null) throw new Error('no plan');
    expect(plan.warnings).toEqual([]);
    const mask = rasterise(projectPolygon(parts, fiji), plan.window);
    for (let row = 10; row < plan.window.height - 10; row += 1) {
      const cells = mask.subarray(row * plan.window.width, (row + 1) * plan.window.width);
      expect(cells.lastIndexOf(1) - cells.indexOf(1) + 1).toBe(cells.filter((c) => c === 1).length);
    }
    // The area is 0.2° of longitude at 17° south times 0.1° of latitude, in cells of one hectare.
    expect(plan.pointCount / (212.9 * 110.67)).toBeCloseTo(1, 1);
  });

  it('has as many cells as its parts together', () => {
    const count = (parts: Position[][][]) => planCells(parts, fiji)?.pointCount ?? 0;
    const both = count([[box(179.9, 180)], [box(-180, -179.9)]]);
    expect(count([[box(179.9, 180)]]) + count([[box(-180, -179.9)]])).toBe(both);
  });
});

describe('a polygon over the pole', () => {
  const arctic = rdGrid({
    crs: {
      epsg: 3413,
      name: 'WGS 84 / NSIDC Sea Ice Polar Stereographic North',
      proj4:
        '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
    },
    origin: [-500_000, 500_000],
    cell_size: 10_000,
    width: 100,
    height: 100,
  });

  it('is a cap if its ring runs along the antimeridian in both directions', () => {
    const cap: Position[] = [
      [-180, 87],
      [180, 87],
      [180, 90],
      [-180, 90],
      [-180, 87],
    ];
    const plan = planCells(toPolygon(cap), arctic);
    // 3° of latitude are 335 km on the ground. The projection has true scale at 70°, and a scale of 0.97 at the pole.
    const radius = 335 * 0.97;
    expect((plan?.pointCount ?? 0) / ((Math.PI * radius ** 2) / 100)).toBeCloseTo(1, 1);
    const mask = rasterise(projectPolygon(toPolygon(cap), arctic), plan?.window ?? NOTHING);
    expect(mask[Math.floor((mask.length + (plan?.window.width ?? 0)) / 2)]).toBe(1);
  });
});

describe('any polygon over a pole', () => {
  const polar = (lat0: number) =>
    rdGrid({
      crs: {
        epsg: lat0 > 0 ? 3413 : 3976,
        name: 'NSIDC Sea Ice Polar Stereographic',
        proj4: `+proj=stere +lat_0=${lat0} +lat_ts=${(lat0 / 90) * 70} +lon_0=-45 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs`,
      },
      ...{ origin: [-1_500_000, 1_500_000], cell_size: 30_000, width: 100, height: 100 },
    });
  /** A margin in degrees of latitude, about 17 km: the test ignores cells closer to the edge. */
  const NEAR = 0.15;

  /** Longitudes and absolute latitudes of the cells' centres. */
  const placesOf = (grid: ReturnType<typeof polar>): Float64Array => {
    const { inverse } = transformOfGrid(grid);
    const { origin, cell_size: size, width, height } = grid;
    const places = Array.from({ length: width * height }, (_, i) => {
      const col = (i % width) + 0.5;
      const row = Math.floor(i / width) + 0.5;
      const [lon, lat] = inverse([origin[0] + col * size, origin[1] - row * size]);
      return [lon, Math.abs(lat)];
    });
    return Float64Array.from(places.flat());
  };

  const poles = [90, -90].map((pole) => {
    const grid = polar(pole);
    return { pole, grid, places: placesOf(grid) };
  });

  it('contains the cells whose centres lie poleward of its edge', () => {
    const vertex = fc.tuple(
      fc.double({ min: -179.9, max: 179.9, noNaN: true }),
      fc.double({ min: 78, max: 88, noNaN: true }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...poles),
        fc.array(vertex, { minLength: 3, maxLength: 25 }),
        fc.double({ min: 78, max: 88, noNaN: true }),
        ({ pole, grid, places }, drawn, end) => {
          const sign = Math.sign(pole);
          // The ring passes each longitude once from 180° west to 180° east, and returns along the pole.
          const edge: Position[] = [
            [-180, end] as Position,
            ...drawn.toSorted((a, b) => a[0] - b[0]),
            [180, end] as Position,
          ].map(([lon, lat]) => [lon, sign * lat]);
          const ring: Position[] = [...edge, [180, pole], [-180, pole], [-180, sign * end]];
          const projected = projectPolygon(toPolygon(ring), grid);
          const whole = { col: 0, row: 0, width: grid.width, height: grid.height };
          const mask = rasterise(projected, whole);
          const wrong = [...mask.entries()].filter(([i, cell]) => {
            const [lon = 0, away = 0] = places.subarray(2 * i, 2 * i + 2);
            const turn = NEAR / Math.cos((away * Math.PI) / 180);
            const beside = latitudesNear(edge, lon, turn);
            if (away > 89.5) return cell === 0;
            if (Math.min(...beside) - NEAR > away) return cell === 1;
            return Math.max(...beside) + NEAR < away && cell === 0;
          });
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** Absolute latitudes of a west-to-east edge within some degrees of a longitude. */
function latitudesNear(edge: readonly Position[], lon: number, degrees: number): number[] {
  const reach = Math.min(degrees, 180);
  const ends = [lon - reach, lon, lon + reach].map((at) =>
    latitudeAt(edge, ((at + 540) % 360) - 180),
  );
  const vertices = edge
    .filter(([at]) => Math.abs(((at - lon + 540) % 360) - 180) <= reach)
    .map(([, lat]) => lat);
  return [...ends, ...vertices].map(Math.abs);
}

/** The latitude at a longitude on an edge that leads from west to east, straight in degrees. */
function latitudeAt(edge: readonly Position[], lon: number): number {
  const next = Math.max(
    edge.findIndex(([east]) => east >= lon),
    1,
  );
  const [from, to] = [edge[next - 1] ?? [0, 0], edge[next] ?? [0, 0]];
  const share = to[0] === from[0] ? 0 : (lon - from[0]) / (to[0] - from[0]);
  return from[1] + (to[1] - from[1]) * share;
}

const NOTHING = { col: 0, row: 0, width: 0, height: 0 };

function distanceToRing(ring: Float64Array, col: number, row: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = ring.subarray(i, i + 4);
    const length2 = (x1 - x0) ** 2 + (y1 - y0) ** 2;
    const along = length2 === 0 ? 0 : ((col - x0) * (x1 - x0) + (row - y0) * (y1 - y0)) / length2;
    const t = Math.min(Math.max(along, 0), 1);
    least = Math.min(least, Math.hypot(col - x0 - t * (x1 - x0), row - y0 - t * (y1 - y0)));
  }
  return least;
}
