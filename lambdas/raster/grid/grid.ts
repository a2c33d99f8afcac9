import { isGeographicDefinition } from '../../projection/projections.ts';

/** A model pack's grid, as its manifest writes it: square cells in one CRS, rows growing south. */
export interface Grid {
  readonly crs: {
    readonly epsg: number;
    readonly name: string;
    /** The whole definition, datum shift included. */
    readonly proj4: string;
  };
  /** Outer corner of the first cell: [west, north] in CRS units. */
  readonly origin: readonly [number, number];
  readonly cell_size: number;
  /** Columns and rows. */
  readonly width: number;
  readonly height: number;
  /** Edge of a GeoTIFF tile in cells. */
  readonly tile_size: number;
  /** Largest edge of a block in tiles: a power of two. */
  readonly block_tiles: number;
}

/** A rectangle of the grid's cells; column and row count from the grid's own first cell. */
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

/** Whether the grid's coordinates are degrees. */
export function isGeographic(grid: Grid): boolean {
  return isGeographicDefinition(grid.crs.proj4);
}

/** Whether the grid goes round the Earth, its last column beside its first. */
export function isRound(grid: Grid): boolean {
  const turn = 360 / grid.cell_size;
  return isGeographic(grid) && Math.abs(grid.width - turn) <= 1e-6 * turn;
}
