import type { BoundedBytes } from './bounded-bytes.ts';

/** Tags of TIFF 6.0, GeoTIFF 1.1 (OGC 19-008, from 33550) and GDAL (from 42112). */
export const TAG = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  planarConfiguration: 284,
  predictor: 317,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  sampleFormat: 339,
  modelPixelScale: 33550,
  modelTiepoint: 33922,
  modelTransformation: 34264,
  geoKeyDirectory: 34735,
  gdalMetadata: 42112,
  gdalNodata: 42113,
} as const;

/** A directory entry: the position of a tag's values, checked to be within the file. */
export interface TagEntry {
  readonly type: number;
  readonly count: number;
  readonly offset: number;
}

/** Values are read on demand. */
export interface Tags {
  readonly entries: ReadonlyMap<number, TagEntry>;
  readonly littleEndian: boolean;
  readonly bytes: BoundedBytes;
}

interface NumberType {
  readonly bytes: number;
  readNumber(view: DataView, at: number, littleEndian: boolean): number;
}

const ASCII = 2;

/** Numeric types of the tags above (TIFF 6.0, section 2, and BigTIFF). */
const NUMBER_TYPES: Readonly<Record<number, NumberType>> = {
  1: { bytes: 1, readNumber: (view, at) => view.getUint8(at) },
  3: { bytes: 2, readNumber: (view, at, littleEndian) => view.getUint16(at, littleEndian) },
  4: { bytes: 4, readNumber: (view, at, littleEndian) => view.getUint32(at, littleEndian) },
  11: { bytes: 4, readNumber: (view, at, littleEndian) => view.getFloat32(at, littleEndian) },
  12: { bytes: 8, readNumber: (view, at, littleEndian) => view.getFloat64(at, littleEndian) },
  16: {
    bytes: 8,
    readNumber: (view, at, littleEndian) => Number(view.getBigUint64(at, littleEndian)),
  },
};

/** The largest GeoKeyDirectory: a 16-bit count of keys with 4 numbers each, and 4 numbers of header. */
const MAX_NUMBERS = 4 * 65_536;

/** Empty if the directory does not have the tag. */
export async function readTagNumbers(tags: Tags, tag: number): Promise<readonly number[]> {
  const entry = tags.entries.get(tag);
  if (entry === undefined) return [];
  if (entry.count > MAX_NUMBERS)
    throw new Error(`tag ${tag} has ${entry.count} numbers, at most ${MAX_NUMBERS} are allowed`);
  return readNumbers(tags.bytes, entry, tags.littleEndian, 0, entry.count);
}

export async function readTagNumber(tags: Tags, tag: number, absent: number): Promise<number> {
  const [first] = await readTagNumbers(tags, tag);
  return first ?? absent;
}

export async function readTagText(tags: Tags, tag: number): Promise<string | undefined> {
  const entry = tags.entries.get(tag);
  if (entry?.type !== ASCII) return undefined;
  const text = new TextDecoder().decode(await tags.bytes.readBytes(entry.offset, entry.count));
  return text.replaceAll('\0', '');
}

export async function readNumbers(
  bytes: BoundedBytes,
  entry: TagEntry,
  littleEndian: boolean,
  first: number,
  count: number,
): Promise<readonly number[]> {
  const type = NUMBER_TYPES[entry.type];
  if (type === undefined)
    throw new Error(`a numeric tag has values of type ${entry.type}, which is not supported`);
  if (first + count > entry.count)
    throw new RangeError(
      `a tile table has ${entry.count} entries, expected at least ${first + count}`,
    );
  const read = await bytes.readBytes(entry.offset + first * type.bytes, count * type.bytes);
  const view = new DataView(read.buffer, read.byteOffset, read.byteLength);
  return Array.from({ length: count }, (_, i) =>
    type.readNumber(view, i * type.bytes, littleEndian),
  );
}
