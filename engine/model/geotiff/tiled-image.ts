import { COMPRESSIONS } from './decompress.ts';
import { bytesPerSample, countStoredBytes, findUnsupported, type SampleLayout } from './samples.ts';
import { readTagNumber, readTagNumbers, TAG, type TagEntry, type Tags } from './tags.ts';

export interface TiledImage extends SampleLayout {
  readonly width: number;
  readonly height: number;
  /** Size of a tile in cells. A strip is a tile as wide as the image; the last strip may have fewer rows. */
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly isTiled: boolean;
  readonly across: number;
  readonly down: number;
  readonly bands: number;
  /** Interleaved samples per cell: all bands, or 1 if the file separates planes. */
  readonly stride: number;
  readonly compression: number;
  readonly offsets: TagEntry;
  readonly byteCounts: TagEntry;
}

export interface FileImage extends TiledImage {
  /** The index of its directory in the file. */
  readonly level: number;
}

/** Limit of an uncompressed tile. A tile of GDAL's COGs has 1 MiB; a strip of 4,096² float32 has 64 MiB. */
const MAX_TILE_BYTES = 64 * 2 ** 20;

/** @throws Error with a message for the raster's author */
export async function readTiledImage(tags: Tags): Promise<TiledImage> {
  const cut = await readSizes(tags);
  const { width, height, tileWidth, tileHeight, isTiled } = cut;
  const bands = await readTagNumber(tags, TAG.samplesPerPixel, 1);
  if (![width, height, tileWidth, tileHeight, bands].every((n) => Number.isInteger(n) && n >= 1)) {
    throw new Error(
      `invalid size: ${width} × ${height} cells in tiles of ${tileWidth} × ${tileHeight}, with ${bands} bands`,
    );
  }
  const planar = await readTagNumber(tags, TAG.planarConfiguration, 1);
  if (planar !== 1 && planar !== 2)
    throw new Error(`its planar configuration is ${planar}, not 1 or 2`);
  const stride = planar === 2 ? 1 : bands;
  const [across, down] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const tiles = across * down * (stride === 1 ? bands : 1);
  const offsets = tags.entries.get(isTiled ? TAG.tileOffsets : TAG.stripOffsets);
  const byteCounts = tags.entries.get(isTiled ? TAG.tileByteCounts : TAG.stripByteCounts);
  if (offsets === undefined || byteCounts === undefined)
    throw new Error('the file has no tile table');
  const places = Math.min(offsets.count, byteCounts.count);
  if (!(places >= tiles)) {
    throw new Error(`its tile table has ${places} entries for ${tiles} tiles`);
  }
  const layout = {
    bits: requireSameForAll('bits', await readTagNumbers(tags, TAG.bitsPerSample)),
    format: requireSameForAll('format', await readTagNumbers(tags, TAG.sampleFormat)),
    predictor: await readTagNumber(tags, TAG.predictor, 1),
    littleEndian: tags.littleEndian,
  };
  const problem = findUnsupported(layout);
  if (problem !== undefined) throw new Error(`not supported: ${problem}`);
  const compression = await readTagNumber(tags, TAG.compression, 1);
  if (COMPRESSIONS[compression] === undefined) {
    const known = [...new Set(Object.values(COMPRESSIONS))].join(', ');
    throw new Error(`compression ${compression} is not supported: use ${known}`);
  }
  const bytes = countStoredBytes(layout.bits, tileWidth * stride, tileHeight);
  if (!(bytes <= MAX_TILE_BYTES)) {
    throw new Error(
      `its tiles of ${tileWidth} × ${tileHeight} cells have ${bytes} bytes, at most ${MAX_TILE_BYTES} are allowed`,
    );
  }
  return {
    ...layout,
    ...cut,
    ...{ across, down, bands, stride, compression, offsets, byteCounts },
  };
}

/** Image and tile sizes; NaN where the directory does not give them. */
async function readSizes(tags: Tags) {
  const width = await readTagNumber(tags, TAG.imageWidth, Number.NaN);
  const height = await readTagNumber(tags, TAG.imageLength, Number.NaN);
  if (tags.entries.has(TAG.stripOffsets)) {
    const rows = await readTagNumber(tags, TAG.rowsPerStrip, height);
    return { width, height, tileWidth: width, tileHeight: Math.min(rows, height), isTiled: false };
  }
  const tileWidth = await readTagNumber(tags, TAG.tileWidth, Number.NaN);
  const tileHeight = await readTagNumber(tags, TAG.tileLength, Number.NaN);
  return { width, height, tileWidth, tileHeight, isTiled: true };
}

export function countUncompressedBytes(image: TiledImage): number {
  const { across, down, bands, tileWidth, tileHeight } = image;
  return across * down * bands * tileWidth * tileHeight * bytesPerSample(image);
}

/** Rows stored in a tile: the last strip ends with the image, while tiles are always full. */
export function countStoredRows({ isTiled, tileHeight, height }: TiledImage, row: number): number {
  return isTiled ? tileHeight : Math.min(tileHeight, height - row * tileHeight);
}

/** The value shared by all bands; TIFF 6.0's default is 1. */
function requireSameForAll(what: string, values: readonly number[]): number {
  const [first = 1] = values;
  if (values.some((value) => value !== first)) {
    throw new Error(`its bands differ in ${what} (${values.slice(0, 8).join(', ')})`);
  }
  return first;
}
