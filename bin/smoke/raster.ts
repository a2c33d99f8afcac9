import { fromUrl, type GeoTIFFImage } from 'geotiff';
import { require } from './check.ts';

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

/** The size of a TIFF, from a range request for its header. */
export async function sizeByRange(url: string): Promise<number> {
  const response = await fetch(url, { headers: { range: `bytes=0-${HEAD_BYTES - 1}` } });
  const head = new Uint8Array(await response.arrayBuffer());
  require(response.status === 206, `a range request returns ${response.status}, not 206`);
  // 'II' and 42 (TIFF 6.0) or 43 (BigTIFF).
  const [i, i2, version] = head;
  require(i === 0x49 && i2 === 0x49 && (version === 42 || version === 43), 'it is not a TIFF');
  return Number(response.headers.get('content-range')?.split('/')[1]);
}

const middleTile = (image: GeoTIFFImage) =>
  tileAt(image, Math.floor(image.getWidth() / 2), Math.floor(image.getHeight() / 2));

/** The last tile of the full resolution: a COG has it at its end. */
export async function predictedInLastTile(url: string): Promise<number> {
  const tiff = await fromUrl(url, { allowFullFile: false });
  const image = await tiff.getImage();
  const cells = await tileAt(image, image.getWidth() - 1, image.getHeight() - 1);
  const nodata = image.getGDALNoData();
  return cells.filter((cell) => cell !== nodata && Number.isFinite(cell)).length;
}

/** The first band in the tile that has the given cell. */
async function tileAt(image: GeoTIFFImage, col: number, row: number): Promise<readonly number[]> {
  const start = (cell: number, edge: number) => Math.floor(cell / edge) * edge;
  const [left, top] = [start(col, image.getTileWidth()), start(row, image.getTileHeight())];
  const right = Math.min(left + image.getTileWidth(), image.getWidth());
  const bottom = Math.min(top + image.getTileHeight(), image.getHeight());
  const [band] = await image.readRasters({ window: [left, top, right, bottom], samples: [0] });
  require(typeof band === 'object', 'a tile cannot be decoded');
  return Array.from(band);
}
