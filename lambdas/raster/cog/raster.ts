import type { Compression } from './compression.ts';
import type { Halving, Resampling } from './overview.ts';
import { asSample, type SampleType } from './sample-type.ts';
import type { TileKind } from './tile.ts';

export interface RasterBand {
  /** GDAL's band description, e.g. "mean". */
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** Level of the quantile it is, e.g. 0.05: one holds at full resolution alone, and the file says so. */
  readonly quantile?: number | undefined;
  /** How overviews are made; `average` by default. Classes want `mode`. */
  readonly resampling?: Resampling;
  /** A cell's value is what it holds × scale + offset; 1 and 0 by default. The file says so. */
  readonly scale?: number | undefined;
  readonly offset?: number | undefined;
}

/** A whole output raster, bands interleaved by pixel. */
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
  /** A number that a sample can hold. */
  readonly nodata: number;
  /** `float32` by default. */
  readonly sampleType?: SampleType;
  /** `deflate` by default. */
  readonly compression?: Compression;
  /**
   * Leaves tiles out where no block is. GDAL reads nodata there, some readers nothing at all: by
   * default such tiles are written.
   */
  readonly sparse?: boolean;
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

export function tileKindOf(raster: RasterDescription): TileKind {
  const sampleType = raster.sampleType ?? 'float32';
  return {
    sampleType,
    compression: raster.compression ?? 'deflate',
    bands: raster.bands.length,
    nodata: asSample(sampleType, raster.nodata),
    tileSize: raster.tileSize,
  };
}

export function halvingOf(raster: RasterDescription): Halving {
  const resampling = raster.bands.map((band) => band.resampling ?? 'average');
  return { resampling, nodata: tileKindOf(raster).nodata };
}

/** rio-cogeo and GDAL's validator want overviews for anything larger than this. */
const MAX_WITHOUT_OVERVIEW = 512;

type RasterSize = Pick<RasterDescription, 'width' | 'height' | 'tileSize'>;

/**
 * The same raster, its last columns and rows filled up with nodata (with tiles of 512 cells less than 0.4 % of them) until
 * every overview is exactly half of the one before. Readers take an overview for the whole extent:
 * only then its cells lie where they say, and equal what GDAL makes of the full resolution.
 */
export function evenlyHalved<T extends RasterSize>(raster: T): T {
  const step = 2 ** (levelsOf(raster).length - 1);
  const filled = (cells: number): number => Math.ceil(cells / step) * step;
  return { ...raster, width: filled(raster.width), height: filled(raster.height) };
}

/** Full resolution and overviews, until both edges fit one tile. */
export function levelsOf({ width, height, tileSize }: RasterSize): Level[] {
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
