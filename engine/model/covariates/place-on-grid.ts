import { isGeographicDefinition } from '../../projection/projections.ts';
import { createTransform } from '../../projection/transform.ts';
import type { Georeference } from '../geotiff/georeference.ts';
import type { RasterFile, RasterLevel } from '../geotiff/raster-file.ts';
import type { Manifest, RasterCovariate } from '../pack/manifest.ts';

/** A rectangle of the pack's grid: columns from the west, rows from the north, both from 0. */
export interface CellWindow {
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedRaster {
  readonly level: RasterLevel;
  /** Whether the raster has the grid's CRS, so that its rows and columns are parallel to the grid's. */
  readonly isAligned: boolean;
  /**
   * The number of the level's columns after which its first column follows; null if it does not wrap, because it
   * spans less than 360° of longitude, is not in degrees, or is an overview of a file that spans more.
   */
  readonly columnsAround: number | null;
  /**
   * Maps a position on the pack's grid to the level, both in cells from the outer corner of the first cell; not
   * finite for a position that cannot be converted to the raster's CRS.
   */
  readonly positionOf: (col: number, row: number) => readonly [number, number];
}

type Convert = (x: number, y: number) => readonly [number, number];

const keepCoordinates: Convert = (x, y) => [x, y];

/** @throws Error if the raster's CRS is unknown */
export function placeOnGrid(
  { georeference, levels }: RasterFile,
  covariate: RasterCovariate,
  grid: Manifest['grid'],
): PlacedRaster {
  const { west, north, cellWidth, cellHeight } = georeference;
  const convert = createConverter(covariate, georeference, grid);
  const geographic = isGeographicRaster(covariate, georeference.epsg, grid);
  const turn = 360 / cellWidth;
  const toFullLevel = (col: number, row: number): readonly [number, number] => {
    const [x, y] = convert(
      grid.origin[0] + col * grid.cell_size,
      grid.origin[1] - row * grid.cell_size,
    );
    const across = (x - west) / cellWidth;
    // A raster in degrees may start at a different meridian from the grid, e.g. at 0 instead of −180.
    return [
      geographic ? across - turn * Math.floor(across / turn) : across,
      (north - y) / cellHeight,
    ];
  };
  const [full] = levels;
  const level = chooseLevel(levels, countCellsPerGridCell(toFullLevel, grid));
  if (full === undefined || level === undefined) throw new Error('the file has no image');
  const [scaleX, scaleY] = [level.width / full.width, level.height / full.height];
  return {
    level,
    isAligned: convert === keepCoordinates,
    columnsAround: geographic ? countColumnsAround(full, level, Math.round(turn)) : null,
    positionOf: (col, row) => {
      const [x, y] = toFullLevel(col, row);
      return [x * scaleX, y * scaleY];
    },
  };
}

/**
 * An overview of a file that spans more than 360° of longitude does not wrap: a turn need not be a whole number of
 * its columns, and the surplus columns follow the turn.
 */
function countColumnsAround(full: RasterLevel, level: RasterLevel, turn: number): number | null {
  if (level === full) return full.width < turn ? null : turn;
  return full.width === turn ? level.width : null;
}

/**
 * The coarsest level that is at least as fine as the grid; full resolution if none is. The whole grid uses the same
 * level, so that there is no seam between windows.
 */
function chooseLevel(levels: readonly RasterLevel[], cells: number): RasterLevel | undefined {
  const [full] = levels;
  // The tolerance is for rounding: on a grid twice as coarse, the measured `cells` may be slightly below 2.
  return levels.findLast(({ width }) => (full?.width ?? 0) / width <= cells * (1 + 1e-6)) ?? full;
}

/** Raster cells per edge of a grid cell at the grid's centre; 1 if the centre has no position in the raster's CRS. */
function countCellsPerGridCell(
  onFull: (col: number, row: number) => readonly [number, number],
  { width, height }: Manifest['grid'],
): number {
  const [x, y] = onFull(width / 2, height / 2);
  const edges = [onFull(width / 2 + 1, height / 2), onFull(width / 2, height / 2 + 1)];
  const cells = Math.min(...edges.map(([ex, ey]) => Math.hypot(ex - x, ey - y)));
  return Number.isFinite(cells) ? cells : 1;
}

function isGeographicRaster(
  { crs }: RasterCovariate,
  epsg: number | null,
  grid: Manifest['grid'],
): boolean {
  const same = epsg === null || epsg === grid.crs.epsg ? grid.crs.proj4 : findEpsgDefinition(epsg);
  return isGeographicDefinition(crs?.proj4 ?? same ?? '');
}

function createConverter(
  covariate: RasterCovariate,
  { epsg, hasOwnCrs }: Georeference,
  grid: Manifest['grid'],
): Convert {
  const ownDefinition = covariate.crs?.proj4;
  if (ownDefinition === undefined && hasOwnCrs) {
    throw new Error('its CRS has no EPSG code: set its definition in "crs"');
  }
  if (
    ownDefinition === grid.crs.proj4 ||
    (ownDefinition === undefined && (epsg === null || epsg === grid.crs.epsg))
  ) {
    return keepCoordinates;
  }
  const definition = ownDefinition ?? findEpsgDefinition(epsg ?? 0);
  if (definition === undefined) {
    throw new Error(
      `its CRS, EPSG:${epsg}, is not the grid's (EPSG:${grid.crs.epsg}): set its definition in "crs"`,
    );
  }
  const { forward } = createTransform(grid.crs.proj4, definition);
  return (x, y) => forward([x, y]);
}

/** Defines only CRSs on WGS84, which need no datum shift; a manifest gives the definition of any other CRS. */
export function findEpsgDefinition(epsg: number): string | undefined {
  if (epsg === 4326) return '+proj=longlat +datum=WGS84';
  if (epsg === 3857) return '+proj=merc +a=6378137 +b=6378137 +units=m +nadgrids=@null';
  const zone = epsg % 100;
  if (zone < 1 || zone > 60) return undefined;
  if (epsg - zone === 32600) return `+proj=utm +zone=${zone} +datum=WGS84`;
  if (epsg - zone === 32700) return `+proj=utm +zone=${zone} +south +datum=WGS84`;
  return undefined;
}
