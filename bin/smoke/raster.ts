import { fromUrl, type GeoTIFFImage } from 'geotiff';
import { require } from './check.ts';

/** Readers such as GDAL request this many bytes first; a result's header is much smaller. */
const HEAD_BYTES = 16_384;

/** Checks the header, CRS, nodata and middle tile with range requests only. */
export async function checkRaster(url: string): Promise<string> {
  const bytes = await readSizeByRange(url);
  const tiff = await fromUrl(url, { allowFullFile: false });
  const image = await tiff.getImage();
  const keys: Partial<Record<string, unknown>> = image.getGeoKeys() ?? {};
  const crs = keys['ProjectedCSTypeGeoKey'] ?? keys['GeographicTypeGeoKey'];
  require(typeof crs === 'number', 'the raster has no CRS');
  const nodata = image.getGDALNoData();
  require(nodata !== null && Number.isFinite(nodata), `nodata is ${nodata}, not a finite number`);
  const predicted = (await readMiddleTile(image)).filter((cell) => cell !== nodata);
  require(predicted.every(Number.isFinite), 'a cell is neither a finite number nor nodata');
  require(predicted.length > 0, 'the middle tile has no prediction');
  const size = `${image.getWidth()} × ${image.getHeight()} cells, bands: ${image.getSamplesPerPixel()}`;
  const overviews = (await tiff.getImageCount()) - 1;
  return `${size}, EPSG:${crs}, overviews: ${overviews}, ${bytes} bytes; predicted cells in the middle tile: ${predicted.length}`;
}

export async function readSizeByRange(url: string): Promise<number> {
  const response = await fetch(url, { headers: { range: `bytes=0-${HEAD_BYTES - 1}` } });
  const head = new Uint8Array(await response.arrayBuffer());
  require(response.status === 206, `a range request returned ${response.status} instead of 206`);
  // The header begins with 'II' and 42 (TIFF 6.0) or 43 (BigTIFF).
  const [i, i2, version] = head;
  require(i === 0x49 &&
    i2 === 0x49 &&
    (version === 42 || version === 43), 'the file is not a TIFF');
  return Number(response.headers.get('content-range')?.split('/')[1]);
}

async function readMiddleTile(image: GeoTIFFImage): Promise<readonly number[]> {
  const start = (cells: number, edge: number) => Math.floor(Math.floor(cells / 2) / edge) * edge;
  const left = start(image.getWidth(), image.getTileWidth());
  const top = start(image.getHeight(), image.getTileHeight());
  const right = Math.min(left + image.getTileWidth(), image.getWidth());
  const bottom = Math.min(top + image.getTileHeight(), image.getHeight());
  const [band] = await image.readRasters({ window: [left, top, right, bottom], samples: [0] });
  require(typeof band === 'object', 'a tile cannot be decoded');
  return Array.from(band);
}
