import { type BoundedBytes, requireWithin } from './bounded-bytes.ts';

/** A table of file positions in a directory: one entry a tile or strip. */
export interface TagTable {
  readonly count: number;
  /** Bytes an entry: SHORT, LONG or LONG8. */
  readonly entryBytes: 2 | 4 | 8;
  /** Where the entries lie in the file. */
  readonly offset: number;
}

/** What of a directory is read past `geotiff`, which would take memory for every entry at once. */
export interface Directory {
  readonly offsets: TagTable | undefined;
  readonly byteCounts: TagTable | undefined;
}

export interface Directories {
  readonly littleEndian: boolean;
  readonly list: readonly Directory[];
}

/** Full resolution, 24 halvings of it (more than any raster has) and as many masks: 50. */
const MAX_DIRECTORIES = 64;
/** TIFF 6.0 and GeoTIFF know about 100 tags. */
const MAX_ENTRIES = 1024;
/** Of a tag that is no tile table: GDAL's metadata, keys, a colour map. */
const MAX_TAG_BYTES = 16 * 2 ** 20;

/** TIFF 6.0, section 2, and BigTIFF: bytes of a value by its type. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

const OFFSET_TAGS = [273, 324];
const COUNT_TAGS = [279, 325];

/**
 * Walks a TIFF's directories before anything believes them: `geotiff` follows a chain that comes
 * back to itself for ever, and takes memory by a count alone.
 *
 * Throws `Error` for what is no TIFF, a chain that is cyclic or too long, and `RangeError` for a
 * directory or a value outside the file.
 */
export async function readDirectories(bytes: BoundedBytes): Promise<Directories> {
  const header = viewOf(await bytes.read(0, Math.min(16, bytes.size)));
  if (header.byteLength < 8) throw new RangeError(`it has ${bytes.size} bytes, too few for a TIFF`);
  const order = header.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) throw new Error('it is no TIFF: no byte order mark');
  const littleEndian = order === 0x4949;
  const magic = header.getUint16(2, littleEndian);
  if (magic !== 42 && magic !== 43) throw new Error('it is no TIFF: no version 42 or 43');
  const layout = magic === 43 ? BIG : CLASSIC;
  if (layout === BIG && header.byteLength < 16) throw new RangeError('it ends in its header');

  const list: Directory[] = [];
  const seen = new Set<number>();
  let next = layout.position(header, layout.firstAt, littleEndian);
  while (next !== 0) {
    if (seen.has(next)) throw new Error(`its directories form a circle at byte ${next}`);
    if (list.length === MAX_DIRECTORIES) {
      throw new Error(`it has more than ${MAX_DIRECTORIES} directories`);
    }
    seen.add(next);
    const directory = await readDirectory(bytes, next, layout, littleEndian);
    list.push(directory);
    next = directory.next;
  }
  if (list.length === 0) throw new Error('it has no directory');
  return { littleEndian, list };
}

interface Layout {
  readonly firstAt: number;
  readonly countBytes: number;
  readonly entryBytes: number;
  readonly positionBytes: 4 | 8;
  position(view: DataView, at: number, littleEndian: boolean): number;
  entries(view: DataView, littleEndian: boolean): number;
}

const CLASSIC: Layout = {
  firstAt: 4,
  countBytes: 2,
  entryBytes: 12,
  positionBytes: 4,
  position: (view, at, littleEndian) => view.getUint32(at, littleEndian),
  entries: (view, littleEndian) => view.getUint16(0, littleEndian),
};

/** Positions beyond 2^53 become doubles that are no safe integers, and so leave every file. */
const BIG: Layout = {
  firstAt: 8,
  countBytes: 8,
  entryBytes: 20,
  positionBytes: 8,
  position: (view, at, littleEndian) => Number(view.getBigUint64(at, littleEndian)),
  entries: (view, littleEndian) => Number(view.getBigUint64(0, littleEndian)),
};

async function readDirectory(
  bytes: BoundedBytes,
  at: number,
  layout: Layout,
  littleEndian: boolean,
): Promise<Directory & { readonly next: number }> {
  const entries = layout.entries(viewOf(await bytes.read(at, layout.countBytes)), littleEndian);
  if (entries > MAX_ENTRIES) throw new Error(`a directory of it has ${entries} entries`);
  const start = at + layout.countBytes;
  const length = entries * layout.entryBytes;
  const view = viewOf(await bytes.read(start, length + layout.positionBytes));
  let offsets: TagTable | undefined;
  let byteCounts: TagTable | undefined;
  for (let i = 0; i < entries; i += 1) {
    const entry = i * layout.entryBytes;
    const tag = view.getUint16(entry, littleEndian);
    const isTable = OFFSET_TAGS.includes(tag) || COUNT_TAGS.includes(tag);
    const valueBytes = TYPE_BYTES[view.getUint16(entry + 2, littleEndian)] ?? 0;
    const count = layout.position(view, entry + 4, littleEndian);
    const total = count * valueBytes;
    const valueAt = entry + 4 + layout.positionBytes;
    const inline = total <= layout.positionBytes;
    const offset = inline ? start + valueAt : layout.position(view, valueAt, littleEndian);
    requireWithin(bytes.size, offset, total);
    if (!isTable && total > MAX_TAG_BYTES) throw new Error(`its tag ${tag} has ${total} bytes`);
    if (isTable && (valueBytes === 2 || valueBytes === 4 || valueBytes === 8)) {
      const table = { count, entryBytes: valueBytes, offset } as const;
      if (OFFSET_TAGS.includes(tag)) offsets = table;
      else byteCounts = table;
    }
  }
  return { offsets, byteCounts, next: layout.position(view, length, littleEndian) };
}

/** Entries `first` to `first + count` of a table, in the file's byte order. */
export async function readTable(
  bytes: BoundedBytes,
  table: TagTable,
  littleEndian: boolean,
  first: number,
  count: number,
): Promise<readonly number[]> {
  const { entryBytes, offset } = table;
  if (first + count > table.count) throw new RangeError('its tile table ends early');
  const view = viewOf(await bytes.read(offset + first * entryBytes, count * entryBytes));
  return Array.from({ length: count }, (_, i) => {
    const at = i * entryBytes;
    if (entryBytes === 2) return view.getUint16(at, littleEndian);
    if (entryBytes === 4) return view.getUint32(at, littleEndian);
    return Number(view.getBigUint64(at, littleEndian));
  });
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
