import { GeoTIFF, type GeoTIFFImage } from 'geotiff';
import type { Covariate, Manifest } from '../pack/manifest.ts';
import type { Pack } from '../pack/pack.ts';
import type { CellWindow } from './cell-window.ts';
import { CovariateUnavailable } from './errors.ts';
import { gridDifference } from './same-grid.ts';
import { tiffSource } from './tiff-source.ts';

export type RasterCovariate = Extract<Covariate, { kind: 'raster' }>;

/** A covariate whose header has been read and lies on the pack's grid. */
export interface CovariateRaster {
  /** Physical values of the window's cells, row-major; NaN where there is none. */
  read(window: CellWindow): Promise<Float32Array>;
}

/** Cells of one tile or strip; 64 M float64 cells would be 512 MiB. */
const MAX_TILE_CELLS = 2 ** 24;

/** Throws {@link CovariateUnavailable}, now or from `read`. */
export async function openCovariateRaster(
  { files, manifest }: Pack,
  covariate: RasterCovariate,
): Promise<CovariateRaster> {
  return naming(covariate.name, async () => {
    const tiff = await GeoTIFF.fromSource(await tiffSource(files, covariate.href));
    const image = await tiff.getImage(0);
    requireUsable(image, covariate, manifest.grid);
    const encoding = await encodingOf(image, covariate.band);
    return {
      read: (window) =>
        naming(covariate.name, () => readWindow(image, covariate.band, encoding, window)),
    };
  });
}

/** How a stored number becomes a value: GDAL's `nodata`, then `stored × scale + offset`. */
interface Encoding {
  readonly nodata: number;
  readonly scale: number;
  readonly offset: number;
}

async function readWindow(
  image: GeoTIFFImage,
  band: number,
  { nodata, scale, offset }: Encoding,
  { col, row, width, height }: CellWindow,
): Promise<Float32Array> {
  const [stored] = await image.readRasters({
    window: [col, row, col + width, row + height],
    samples: [band - 1],
    interleave: false,
  });
  if (stored === undefined || typeof stored === 'number' || stored.length !== width * height) {
    throw new Error(`it gives no values for ${width} × ${height} cells`);
  }
  // A float32 band stores its nodata value rounded, the tag gives it as text in full.
  const missing = stored instanceof Float32Array ? Math.fround(nodata) : nodata;
  const values = new Float32Array(stored.length);
  for (const [i, number] of stored.entries()) {
    const value = number === missing ? Number.NaN : number * scale + offset;
    values[i] = Number.isFinite(value) ? value : Number.NaN;
  }
  return values;
}

/** GDAL_NODATA is text; SCALE and OFFSET are items of GDAL_METADATA for the band. */
async function encodingOf(image: GeoTIFFImage, band: number): Promise<Encoding> {
  const text: unknown = image.fileDirectory.getValue('GDAL_NODATA');
  const metadata = await image.getGDALMetadata(band - 1);
  return {
    nodata: typeof text === 'string' ? Number(text.replaceAll('\0', '').trim()) : Number.NaN,
    scale: numberIn(metadata, 'SCALE', 1),
    offset: numberIn(metadata, 'OFFSET', 0),
  };
}

function numberIn(metadata: Record<string, unknown> | null, item: string, absent: number): number {
  const text = metadata?.[item];
  if (text === undefined) {
    return absent;
  }
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw new Error(`its ${item} is "${text}", not a number`);
  }
  return value;
}

function requireUsable(
  image: GeoTIFFImage,
  { band }: RasterCovariate,
  grid: Manifest['grid'],
): void {
  const bands = image.getSamplesPerPixel();
  if (band > bands) {
    throw new Error(`it has ${bands} band(s), the manifest asks for band ${band}`);
  }
  const difference = gridDifference(image, grid);
  if (difference !== undefined) {
    throw new Error(`its grid is not the pack's: ${difference}`);
  }
  const tile = { width: image.getTileWidth(), height: image.getTileHeight() };
  if (!(tile.width * tile.height >= 1 && tile.width * tile.height <= MAX_TILE_CELLS)) {
    throw new Error(
      `its tiles have ${tile.width} × ${tile.height} cells, allowed are ${MAX_TILE_CELLS}`,
    );
  }
}

async function naming<T>(covariate: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CovariateUnavailable(covariate, reason, { cause: error });
  }
}
