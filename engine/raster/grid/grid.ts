import { isGeographicDefinition } from '../../projection/projections.ts';

/** Rows are numbered from north to south. */
export interface Grid {
  readonly crs: {
    readonly epsg: number;
    readonly name: string;
    /** The full definition, with the datum shift. */
    readonly proj4: string;
  };
  /** Outer corner of the first cell: [west, north] in CRS units. */
  readonly origin: readonly [number, number];
  readonly cell_size: number;
  readonly width: number;
  readonly height: number;
  /** Edge of a GeoTIFF tile in cells. */
  readonly tile_size: number;
  /** Largest edge of a block in tiles: a power of two. */
  readonly block_tiles: number;
}

/** A rectangle of cells; column and row are counted from the grid's first cell. */
export interface Window {
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/** Outer corner [west, north] of a window, in CRS units. */
export function windowOrigin(window: Window, grid: Grid): readonly [number, number] {
  return [
    grid.origin[0] + window.col * grid.cell_size,
    grid.origin[1] - window.row * grid.cell_size,
  ];
}

export function isGeographic(grid: Grid): boolean {
  return isGeographicDefinition(grid.crs.proj4);
}

/**
 * The number of columns of one turn around the Earth, after which the first column follows again; null if the grid
 * spans less or is not in degrees. Some publishers' grids are a few columns wider: these extra columns repeat the first
 * columns and are never addressed.
 */
export function columnsAround(grid: Pick<Grid, 'crs' | 'cell_size' | 'width'>): number | null {
  if (!isGeographicDefinition(grid.crs.proj4)) return null;
  const turn = Math.round(360 / grid.cell_size);
  return grid.width < turn ? null : turn;
}
