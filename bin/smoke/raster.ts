import { fromUrl, type GeoTIFFImage } from 'geotiff';
import type { Job } from './batches.ts';
import { require, Skipped } from './check.ts';
import { urlOf } from './signed-url.ts';

/** Readers such as GDAL request this much first; the header of a result is much smaller. */
const HEAD_BYTES = 16_384;

/** Opens a result as GIS software does, only by range requests: header, CRS, nodata and the middle tile. */
export async function openRaster(url: string): Promise<string> {
  const bytes = await sizeByRange(url);
  const tiff = await fromUrl(url, { allowFullFile: false });
  const image = await tiff.getImage();
  const keys: Partial<Record<string, unknown>> = image.getGeoKeys() ?? {};
  const crs = keys['ProjectedCSTypeGeoKey'] ?? keys['GeographicTypeGeoKey'];
  require(typeof crs === 'number', 'the raster has no CRS');
  const nodata = image.getGDALNoData();
  require(nodata !== null && Number.isFinite(nodata), `nodata is ${nodata}, not a number`);
  const cells = await middleTile(image);
  const predicted = cells.filter((cell) => cell !== nodata);
  require(predicted.every(Number.isFinite), 'a cell is neither a number nor nodata');
  require(predicted.length > 0, 'the middle tile has no prediction');
  const size = `${image.getWidth()} × ${image.getHeight()} × ${image.getSamplesPerPixel()}`;
  const overviews = (await tiff.getImageCount()) - 1;
  return `${size} cells, EPSG:${crs}, ${overviews} overviews, ${bytes} bytes; ${predicted.length} predicted cells in the middle tile`;
}

/** Two parts of S3's smallest size: the assembly copies at least one range of a block (`UploadPartCopy`). */
const COPIED_BYTES = 10 * 1024 ** 2;

/** Opens the largest result if S3 has copied a range of a block into it. */
export async function rasterOfCopiedParts(results: readonly Job[]): Promise<string> {
  const sizes = await Promise.all(
    results.map(async (job) => ({ job, bytes: await sizeByRange(urlOf(job)) })),
  );
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  if (largest === undefined) throw new Skipped('no job has a result');
  if (largest.bytes <= COPIED_BYTES) {
    const mib = (largest.bytes / 1024 ** 2).toFixed(1);
    throw new Skipped(
      `the largest result has ${mib} MiB: use --batch with a larger polygon or model`,
    );
  }
  return openRaster(urlOf(largest.job));
}

async function sizeByRange(url: string): Promise<number> {
  const response = await fetch(url, { headers: { range: `bytes=0-${HEAD_BYTES - 1}` } });
  const head = new Uint8Array(await response.arrayBuffer());
  require(response.status === 206, `a range request returns ${response.status}, not 206`);
  // 'II' and 42 (TIFF 6.0) or 43 (BigTIFF).
  const [i, i2, version] = head;
  require(i === 0x49 && i2 === 0x49 && (version === 42 || version === 43), 'it is not a TIFF');
  return Number(response.headers.get('content-range')?.split('/')[1]);
}

/** The cells of the first band in the raster's middle tile. */
async function middleTile(image: GeoTIFFImage): Promise<readonly number[]> {
  const start = (size: number, tile: number) => Math.floor(Math.floor(size / 2) / tile) * tile;
  const [width, height] = [image.getWidth(), image.getHeight()];
  const [left, top] = [start(width, image.getTileWidth()), start(height, image.getTileHeight())];
  const right = Math.min(left + image.getTileWidth(), width);
  const bottom = Math.min(top + image.getTileHeight(), height);
  const window = [left, top, right, bottom];
  const [band] = await image.readRasters({ window, samples: [0] });
  require(typeof band === 'object', 'the middle tile cannot be decoded');
  return Array.from(band);
}
