import type { BoundedBytes } from './bounded-bytes.ts';

/** TIFF 6.0; GeoTIFF 1.1 (OGC 19-008) from 33550 on; GDAL's own from 42112 on. */
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

/** A directory's entry: where the values of a tag lie in the file, all within it. */
export interface TagEntry {
  readonly type: number;
  readonly count: number;
  readonly offset: number;
}

/** The tags of one directory. Values are read when they are asked for. */
export interface Tags {
  readonly entries: ReadonlyMap<number, TagEntry>;
  readonly littleEndian: boolean;
  /** Where values lie. */
  readonly bytes: BoundedBytes;
}

interface NumberType {
  readonly bytes: number;
  read(view: DataView, at: number, littleEndian: boolean): number;
}

const ASCII = 2;

/** TIFF 6.0, section 2, and BigTIFF: the types of numbers that the tags above have. */
const NUMBER_TYPES: Readonly<Record<number, NumberType>> = {
  1: { bytes: 1, read: (view, at) => view.getUint8(at) },
  3: { bytes: 2, read: (view, at, littleEndian) => view.getUint16(at, littleEndian) },
  4: { bytes: 4, read: (view, at, littleEndian) => view.getUint32(at, littleEndian) },
  11: { bytes: 4, read: (view, at, littleEndian) => view.getFloat32(at, littleEndian) },
  12: { bytes: 8, read: (view, at, littleEndian) => view.getFloat64(at, littleEndian) },
  16: { bytes: 8, read: (view, at, littleEndian) => Number(view.getBigUint64(at, littleEndian)) },
};

/** A GeoKeyDirectory of as many keys as its count can say: 4 numbers each, and 4 before them. */
const MAX_NUMBERS = 4 * 65_536;

/** Every number of a tag; none where the directory has no such tag. */
export async function numbersOf(tags: Tags, tag: number): Promise<readonly number[]> {
  const entry = tags.entries.get(tag);
  if (entry === undefined) return [];
  if (entry.count > MAX_NUMBERS) throw new Error(`its tag ${tag} has ${entry.count} numbers`);
  return readNumbers(tags.bytes, entry, tags.littleEndian, 0, entry.count);
}

/** The first number of a tag. */
export async function numberOf(tags: Tags, tag: number, absent: number): Promise<number> {
  const [first] = await numbersOf(tags, tag);
  return first ?? absent;
}

export async function textOf(tags: Tags, tag: number): Promise<string | undefined> {
  const entry = tags.entries.get(tag);
  if (entry?.type !== ASCII) return undefined;
  const text = new TextDecoder().decode(await tags.bytes.read(entry.offset, entry.count));
  return text.replaceAll('\0', '');
}

/** Numbers `first` to `first + count` of an entry, in the file's byte order. */
export async function readNumbers(
  bytes: BoundedBytes,
  entry: TagEntry,
  littleEndian: boolean,
  first: number,
  count: number,
): Promise<readonly number[]> {
  const type = NUMBER_TYPES[entry.type];
  if (type === undefined) throw new Error(`it has values of type ${entry.type} for numbers`);
  if (first + count > entry.count) throw new RangeError('its tile table ends early');
  const read = await bytes.read(entry.offset + first * type.bytes, count * type.bytes);
  const view = new DataView(read.buffer, read.byteOffset, read.byteLength);
  return Array.from({ length: count }, (_, i) => type.read(view, i * type.bytes, littleEndian));
}
