import { readTiles, type Tile, type TileFile } from './read-tiles.ts';
import type { FileImage, TiledImage } from './tiled-image.ts';

export interface CellRectangle {
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/** How a stored number becomes a value: missing if it equals `nodata`, else `stored × scale + offset`. */
export interface Encoding {
  readonly nodata: number;
  readonly scale: number;
  readonly offset: number;
}

/**
 * Physical values of a band, row-major. NaN where the number is nodata or not finite, and in tiles that a sparse file
 * omits (without a nodata value their stored numbers count as 0, as in GDAL).
 *
 * @param band from 0
 */
export async function readCells(
  file: TileFile,
  image: FileImage,
  band: number,
  encoding: Encoding,
  rectangle: CellRectangle,
): Promise<Float32Array> {
  const { col, row, width, height } = rectangle;
  const values = new Float32Array(width * height).fill(Number.NaN);
  const apart = image.stride === 1;
  const range = {
    columnFrom: Math.floor(col / image.tileWidth),
    columnTo: Math.ceil((col + width) / image.tileWidth),
    rowFrom: Math.floor(row / image.tileHeight),
    rowTo: Math.ceil((row + height) / image.tileHeight),
    plane: apart ? band : 0,
    // A tile whose cells have all been read is needed again only for another band that it interleaves.
    isNeededLater: (column: number, row: number) =>
      !apart || !isRectangleWithin(rectangleOfTile(image, column, row), rectangle),
  };
  const convert = { ...encoding, first: apart ? 0 : band };
  await readTiles(file, image, range, (tile) => copyTile(tile, image, convert, rectangle, values));
  return values;
}

/** The part of a tile within the image. */
function rectangleOfTile(
  { width, height, tileWidth, tileHeight }: TiledImage,
  column: number,
  row: number,
): CellRectangle {
  const [col, top] = [column * tileWidth, row * tileHeight];
  return {
    col,
    row: top,
    width: Math.min(tileWidth, width - col),
    height: Math.min(tileHeight, height - top),
  };
}

function isRectangleWithin(inner: CellRectangle, outer: CellRectangle): boolean {
  return (
    inner.col >= outer.col &&
    inner.row >= outer.row &&
    inner.col + inner.width <= outer.col + outer.width &&
    inner.row + inner.height <= outer.row + outer.height
  );
}

function copyTile(
  { column, row, samples }: Tile,
  image: TiledImage,
  { nodata, scale, offset, first }: Encoding & { readonly first: number },
  rectangle: CellRectangle,
  values: Float32Array,
): void {
  const { tileWidth, tileHeight, stride } = image;
  const west = Math.max(column * tileWidth, rectangle.col);
  const east = Math.min((column + 1) * tileWidth, rectangle.col + rectangle.width);
  const north = Math.max(row * tileHeight, rectangle.row);
  const south = Math.min((row + 1) * tileHeight, rectangle.row + rectangle.height);
  // A float32 band stores nodata rounded, while the tag has its full decimal text.
  const missing = samples instanceof Float32Array ? Math.fround(nodata) : nodata;
  const absent = Number.isNaN(nodata) ? offset : Number.NaN;
  for (let y = north; y < south; y += 1) {
    let to = (y - rectangle.row) * rectangle.width + west - rectangle.col;
    if (samples === null) {
      values.fill(absent, to, to + east - west);
      continue;
    }
    let from = ((y - row * tileHeight) * tileWidth + west - column * tileWidth) * stride + first;
    for (let x = west; x < east; x += 1, from += stride, to += 1) {
      const stored = Number(samples[from]);
      const value = stored === missing ? Number.NaN : Math.fround(stored * scale + offset);
      values[to] = Number.isFinite(value) ? value : Number.NaN;
    }
  }
}
