import type { Compression } from './compression.ts';
import type { Halving, Resampling } from './overview.ts';
import { roundToSample, type SampleType } from './sample-type.ts';
import type { TileKind } from './tile.ts';

export interface RasterBand {
  /** GDAL's band description, e.g. "mean". */
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** Level of a quantile band, e.g. 0.05. */
  readonly quantile?: number | undefined;
  /** Overview resampling. Use `mode` for classes. */
  readonly resampling?: Resampling;
  /** Value = stored number × scale + offset. If either is given, the file states both. */
  readonly scale?: number | undefined;
  readonly offset?: number | undefined;
}

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
  /** A number that the sample type can hold. */
  readonly nodata: number;
  readonly sampleType?: SampleType;
  readonly compression?: Compression;
  /**
   * Omits tiles where there is no block. GDAL reads nodata there, but some readers fail, so by default
   * such tiles are written.
   */
  readonly sparse?: boolean;
  /** GDAL metadata items of the whole file. */
  readonly tags: Readonly<Record<string, string>>;
}

export interface Level {
  /** 0 is full resolution; each further level is half, ceil(n / 2). */
  readonly level: number;
  readonly width: number;
  readonly height: number;
  readonly cols: number;
  readonly rows: number;
}

export function tileKindOf(raster: RasterDescription): TileKind {
  const sampleType = raster.sampleType ?? 'float32';
  return {
    sampleType,
    compression: raster.compression ?? 'deflate',
    bands: raster.bands.length,
    nodata: roundToSample(sampleType, raster.nodata),
    tileSize: raster.tileSize,
  };
}

export function halvingOf(raster: RasterDescription): Halving {
  const resampling = raster.bands.map((band) => band.resampling ?? 'average');
  return { resampling, nodata: tileKindOf(raster).nodata };
}

/** rio-cogeo and GDAL's validator expect overviews for larger rasters. */
const MAX_WITHOUT_OVERVIEW = 512;

type RasterSize = Pick<RasterDescription, 'width' | 'height' | 'tileSize'>;

/**
 * The raster padded with nodata until every overview is exactly half of the previous one. Readers
 * assume that an overview covers the whole extent: without padding its cells would be shifted and
 * differ from GDAL's.
 */
export function padForHalving<T extends RasterSize>(raster: T): T {
  const step = 2 ** (listLevels(raster).length - 1);
  const padCells = (cells: number): number => Math.ceil(cells / step) * step;
  return { ...raster, width: padCells(raster.width), height: padCells(raster.height) };
}

/** Full resolution and overviews, until both edges fit one tile and have at most 512 cells. */
export function listLevels({ width, height, tileSize }: RasterSize): Level[] {
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
