import { COMPRESSIONS } from './decompress.ts';
import { type SampleLayout, sampleBytes, storedBytes, unreadable } from './samples.ts';
import { numberOf, numbersOf, TAG, type TagEntry, type Tags } from './tags.ts';

/** One resolution of a raster: how its cells are cut into tiles and where those lie. */
export interface TiledImage extends SampleLayout {
  readonly width: number;
  readonly height: number;
  /** Cells of a tile; a strip is a tile as wide as the image, whose last one may be lower. */
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly isTiled: boolean;
  readonly across: number;
  readonly down: number;
  /** Bands of the file. */
  readonly bands: number;
  /** Samples of a cell that lie side by side: all bands, or one where planes hold them apart. */
  readonly stride: number;
  readonly compression: number;
  readonly offsets: TagEntry;
  readonly byteCounts: TagEntry;
}

/** One tile in memory. GDAL's COGs have 1 MiB; a file of one whole strip of 4,096² float32 has 64. */
const MAX_TILE_BYTES = 64 * 2 ** 20;

/**
 * What a directory says of its image, believed only as far as it agrees with itself.
 * Throws `Error` in words for the raster's author.
 */
export async function tiledImage(tags: Tags): Promise<TiledImage> {
  const cut = await cutOf(tags);
  const { width, height, tileWidth, tileHeight, isTiled } = cut;
  if (![width, height, tileWidth, tileHeight].every((n) => Number.isInteger(n) && n >= 1)) {
    throw new Error(`it has ${width} × ${height} cells in tiles of ${tileWidth} × ${tileHeight}`);
  }
  const bands = await numberOf(tags, TAG.samplesPerPixel, 1);
  const planar = await numberOf(tags, TAG.planarConfiguration, 1);
  if (planar !== 1 && planar !== 2) throw new Error(`its planar configuration is ${planar}`);
  const stride = planar === 2 ? 1 : bands;
  const [across, down] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const tiles = across * down * (stride === 1 ? bands : 1);
  const offsets = tags.entries.get(isTiled ? TAG.tileOffsets : TAG.stripOffsets);
  const byteCounts = tags.entries.get(isTiled ? TAG.tileByteCounts : TAG.stripByteCounts);
  if (offsets === undefined || byteCounts === undefined) throw new Error('it has no tile table');
  if (!(Math.min(offsets.count, byteCounts.count) >= tiles)) {
    throw new Error(`its tile table has ${offsets.count} entries for ${tiles} tiles`);
  }
  const layout = {
    bits: sameForAll('bits', await numbersOf(tags, TAG.bitsPerSample)),
    format: sameForAll('format', await numbersOf(tags, TAG.sampleFormat)),
    predictor: await numberOf(tags, TAG.predictor, 1),
    littleEndian: tags.littleEndian,
  };
  const problem = unreadable(layout);
  if (problem !== undefined) throw new Error(`its ${problem} can't be read`);
  const compression = await numberOf(tags, TAG.compression, 1);
  if (COMPRESSIONS[compression] === undefined) {
    const known = [...new Set(Object.values(COMPRESSIONS))].join(', ');
    throw new Error(`its compression has the number ${compression}; readable are ${known}`);
  }
  const bytes = storedBytes(layout.bits, tileWidth * stride, tileHeight);
  if (!(bands >= 1 && bytes <= MAX_TILE_BYTES)) {
    throw new Error(
      `its tiles of ${tileWidth} × ${tileHeight} cells have ${bytes} bytes, allowed are ${MAX_TILE_BYTES}`,
    );
  }
  return {
    ...layout,
    ...cut,
    ...{ across, down, bands, stride, compression, offsets, byteCounts },
  };
}

/** Sizes as the directory gives them, NaN where it gives none. */
async function cutOf(tags: Tags) {
  const width = await numberOf(tags, TAG.imageWidth, Number.NaN);
  const height = await numberOf(tags, TAG.imageLength, Number.NaN);
  if (tags.entries.has(TAG.stripOffsets)) {
    const rows = await numberOf(tags, TAG.rowsPerStrip, height);
    return { width, height, tileWidth: width, tileHeight: Math.min(rows, height), isTiled: false };
  }
  const tileWidth = await numberOf(tags, TAG.tileWidth, Number.NaN);
  const tileHeight = await numberOf(tags, TAG.tileLength, Number.NaN);
  return { width, height, tileWidth, tileHeight, isTiled: true };
}

/** Bytes of all its tiles, unpacked. */
export function unpackedBytes(image: TiledImage): number {
  const { across, down, bands, tileWidth, tileHeight } = image;
  return across * down * bands * tileWidth * tileHeight * sampleBytes(image);
}

/** The rows that a tile stores: a strip ends with the image, a tile never. */
export function storedRows({ isTiled, tileHeight, height }: TiledImage, row: number): number {
  return isTiled ? tileHeight : Math.min(tileHeight, height - row * tileHeight);
}

/** TIFF 6.0: one bit of an unsigned integer where the file says nothing. */
function sameForAll(what: string, values: readonly number[]): number {
  const [first = 1] = values;
  if (values.some((value) => value !== first)) {
    throw new Error(`its bands differ in ${what} (${values.slice(0, 8).join(', ')})`);
  }
  return first;
}
