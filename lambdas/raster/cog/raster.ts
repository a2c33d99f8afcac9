export interface RasterBand {
  /** GDAL's band description, e.g. "mean". */
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** A bound of an interval: its overviews are averages of bounds, and the file says so. */
  readonly isBound?: boolean;
}

/** A whole output raster: float32, bands interleaved by pixel. */
export interface RasterDescription {
  readonly width: number;
  readonly height: number;
  readonly crs: {
    readonly epsg: number;
    readonly name: string;
    readonly geographic: boolean;
  };
  /** Outer corner of the first cell, [west, north] in CRS units (PixelIsArea). */
  readonly origin: readonly [number, number];
  /** Edge of a cell in CRS units. */
  readonly cellSize: number;
  readonly tileSize: number;
  readonly blockTiles: number;
  readonly bands: readonly RasterBand[];
  /** Finite. */
  readonly nodata: number;
  /** Items for the whole file, e.g. MODEL, REQUESTED_YEAR, DATA_PERIOD, POLYGON_SHA256, LICENCE. */
  readonly tags: Readonly<Record<string, string>>;
}

export interface Level {
  /** 0 is full resolution; each next is half, ceil(n / 2). */
  readonly level: number;
  readonly width: number;
  readonly height: number;
  /** In tiles. */
  readonly cols: number;
  readonly rows: number;
}

/** rio-cogeo and GDAL's validator want overviews for anything larger than this. */
const MAX_WITHOUT_OVERVIEW = 512;

/** Full resolution and overviews, until both edges fit one tile. */
export function levelsOf({ width, height, tileSize }: RasterDescription): Level[] {
  const levels: Level[] = [];
  const enough = Math.min(tileSize, MAX_WITHOUT_OVERVIEW);
  for (let level = 0; ; level += 1) {
    const w = Math.ceil(width / 2 ** level);
    const h = Math.ceil(height / 2 ** level);
    levels.push({
      level,
      width: w,
      height: h,
      cols: Math.ceil(w / tileSize),
      rows: Math.ceil(h / tileSize),
    });
    if (w <= enough && h <= enough) return levels;
  }
}
