import { isGeographicDefinition } from '../../projection/projections.ts';
import { transformBetween } from '../../projection/transform.ts';
import type { Georeference } from '../geotiff/georeference.ts';
import type { RasterFile, RasterLevel } from '../geotiff/raster-file.ts';
import type { Manifest, RasterCovariate } from '../pack/manifest.ts';

/** A raster under the pack's grid: the level to read and where the grid's points fall on it. */
export interface PlacedRaster {
  readonly level: RasterLevel;
  /** Whether it is in the grid's CRS, so that its rows and columns run along the grid's. */
  readonly isAligned: boolean;
  /** Whether it goes round the Earth: beside its last column lies its first. */
  readonly isRound: boolean;
  /**
   * Position on the level, in its cells from its outer corner, of a position on the pack's grid, in
   * the grid's; not finite where the raster's CRS has no image.
   */
  readonly positionOf: (col: number, row: number) => readonly [number, number];
}

type Convert = (x: number, y: number) => readonly [number, number];

const unconverted: Convert = (x, y) => [x, y];

/** Throws `Error` when the raster's CRS is not known. */
export function placeOnGrid(
  { georeference, levels }: RasterFile,
  covariate: RasterCovariate,
  grid: Manifest['grid'],
): PlacedRaster {
  const { west, north, cellWidth, cellHeight } = georeference;
  const convert = converterTo(covariate, georeference, grid);
  const geographic = isGeographic(covariate, georeference.epsg, grid);
  const turn = 360 / cellWidth;
  const onFull = (col: number, row: number): readonly [number, number] => {
    const [x, y] = convert(
      grid.origin[0] + col * grid.cell_size,
      grid.origin[1] - row * grid.cell_size,
    );
    const across = (x - west) / cellWidth;
    // A raster in degrees may begin at another meridian, or another turn, than the grid's longitudes.
    return [
      geographic ? across - turn * Math.floor(across / turn) : across,
      (north - y) / cellHeight,
    ];
  };
  const [full] = levels;
  const level = levelFor(levels, cellsUnderOne(onFull, grid));
  if (full === undefined || level === undefined) throw new Error('it holds no image');
  const [scaleX, scaleY] = [level.width / full.width, level.height / full.height];
  return {
    level,
    isAligned: convert === unconverted,
    isRound: geographic && Math.abs(full.width - turn) <= 1e-6 * turn,
    positionOf: (col, row) => {
      const [x, y] = onFull(col, row);
      return [x * scaleX, y * scaleY];
    },
  };
}

/**
 * The coarsest level that is as fine as the grid: no detail is lost, and no more is read than needed.
 * It is one for the whole grid, so that patch-batches meet without a seam.
 */
function levelFor(levels: readonly RasterLevel[], cells: number): RasterLevel | undefined {
  const [full] = levels;
  // An overview has ⌈n/2⌉ cells, so its factor is a little less than 2.
  return levels.findLast(({ width }) => (full?.width ?? 0) / width <= cells * (1 + 1e-6)) ?? full;
}

/** Cells of the raster along an edge of one cell in the middle of the grid; 1 where it has no image. */
function cellsUnderOne(
  onFull: (col: number, row: number) => readonly [number, number],
  { width, height }: Manifest['grid'],
): number {
  const [x, y] = onFull(width / 2, height / 2);
  const edges = [onFull(width / 2 + 1, height / 2), onFull(width / 2, height / 2 + 1)];
  const cells = Math.min(...edges.map(([ex, ey]) => Math.hypot(ex - x, ey - y)));
  return Number.isFinite(cells) ? cells : 1;
}

function isGeographic(
  { crs }: RasterCovariate,
  epsg: number | null,
  grid: Manifest['grid'],
): boolean {
  const same = epsg === null || epsg === grid.crs.epsg ? grid.crs.proj4 : definitionOf(epsg);
  return isGeographicDefinition(crs?.proj4 ?? same ?? '');
}

function converterTo(
  covariate: RasterCovariate,
  { epsg, hasOwnCrs }: Georeference,
  grid: Manifest['grid'],
): Convert {
  const own = covariate.crs?.proj4;
  if (own === undefined && hasOwnCrs) {
    throw new Error('its CRS has no EPSG code; give its definition in "crs"');
  }
  if (own === grid.crs.proj4 || (own === undefined && (epsg === null || epsg === grid.crs.epsg))) {
    return unconverted;
  }
  const definition = own ?? definitionOf(epsg ?? 0);
  if (definition === undefined) {
    throw new Error(
      `its CRS is EPSG:${epsg} and not the grid's (EPSG:${grid.crs.epsg}); give its definition in "crs"`,
    );
  }
  const { forward } = transformBetween(grid.crs.proj4, definition);
  return (x, y) => forward([x, y]);
}

/** Those on WGS84, which need no datum shift: of the others proj4 knows too little. */
function definitionOf(epsg: number): string | undefined {
  if (epsg === 4326) return '+proj=longlat +datum=WGS84';
  if (epsg === 3857) return '+proj=merc +a=6378137 +b=6378137 +units=m +nadgrids=@null';
  const zone = epsg % 100;
  if (zone < 1 || zone > 60) return undefined;
  if (epsg - zone === 32600) return `+proj=utm +zone=${zone} +datum=WGS84`;
  if (epsg - zone === 32700) return `+proj=utm +zone=${zone} +south +datum=WGS84`;
  return undefined;
}
