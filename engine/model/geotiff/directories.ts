import { type BoundedBytes, requireBytesWithin } from './bounded-bytes.ts';
import { TAG, type TagEntry, type Tags } from './tags.ts';

/** Full resolution, up to 24 overviews, and a mask for each. */
const MAX_DIRECTORIES = 64;
/** TIFF 6.0 and GeoTIFF define about 100 tags. */
const MAX_ENTRIES = 1024;
/** Limit for a tag that is not a tile table, such as GDAL's metadata, GeoKeys or a colour map. */
const MAX_TAG_BYTES = 16 * 2 ** 20;

/** Size of a value in bytes, by its type (TIFF 6.0, section 2, and BigTIFF). */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

/** Tags that are read in part, for the rows that a window needs. */
const TILE_TABLES: readonly number[] = [
  TAG.stripOffsets,
  TAG.stripByteCounts,
  TAG.tileOffsets,
  TAG.tileByteCounts,
];

/**
 * Reads a TIFF's chain of directories. Reads no values, but checks that each lies within the file.
 * @throws Error for a file that is not a TIFF and for a cyclic or too long chain, and RangeError
 * for a directory or a value outside the file.
 */
export async function readDirectories(bytes: BoundedBytes): Promise<readonly Tags[]> {
  const header = toDataView(await bytes.readBytes(0, Math.min(16, bytes.size)));
  if (header.byteLength < 8)
    throw new RangeError(`the file has ${bytes.size} bytes, too few for a TIFF`);
  const order = header.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) throw new Error('not a TIFF: no byte order mark');
  const littleEndian = order === 0x4949;
  const magic = header.getUint16(2, littleEndian);
  if (magic !== 42 && magic !== 43) throw new Error('not a TIFF: the version is not 42 or 43');
  const layout = magic === 43 ? BIG : CLASSIC;
  if (layout === BIG && header.byteLength < 16)
    throw new RangeError('the file ends within its header');

  const list: Tags[] = [];
  const seen = new Set<number>();
  let next = layout.readPosition(header, layout.firstAt, littleEndian);
  while (next !== 0) {
    if (seen.has(next)) throw new Error(`its directories form a cycle at byte ${next}`);
    if (list.length === MAX_DIRECTORIES) {
      throw new Error(`the file has more than ${MAX_DIRECTORIES} directories`);
    }
    seen.add(next);
    const directory = await readDirectory(bytes, next, layout, littleEndian);
    list.push({ entries: directory.entries, littleEndian, bytes });
    next = directory.next;
  }
  if (list.length === 0) throw new Error('the file has no directory');
  return list;
}

interface Layout {
  readonly firstAt: number;
  readonly countBytes: number;
  readonly entryBytes: number;
  readonly positionBytes: 4 | 8;
  readPosition(view: DataView, at: number, littleEndian: boolean): number;
  countEntries(view: DataView, littleEndian: boolean): number;
}

const CLASSIC: Layout = {
  firstAt: 4,
  countBytes: 2,
  entryBytes: 12,
  positionBytes: 4,
  readPosition: (view, at, littleEndian) => view.getUint32(at, littleEndian),
  countEntries: (view, littleEndian) => view.getUint16(0, littleEndian),
};

/** Offsets above 2^53 become unsafe integers, which `requireBytesWithin` rejects. */
const BIG: Layout = {
  firstAt: 8,
  countBytes: 8,
  entryBytes: 20,
  positionBytes: 8,
  readPosition: (view, at, littleEndian) => Number(view.getBigUint64(at, littleEndian)),
  countEntries: (view, littleEndian) => Number(view.getBigUint64(0, littleEndian)),
};

async function readDirectory(
  bytes: BoundedBytes,
  at: number,
  layout: Layout,
  littleEndian: boolean,
): Promise<{ readonly entries: ReadonlyMap<number, TagEntry>; readonly next: number }> {
  const length = layout.countEntries(
    toDataView(await bytes.readBytes(at, layout.countBytes)),
    littleEndian,
  );
  if (length > MAX_ENTRIES)
    throw new Error(`a directory has ${length} entries, at most ${MAX_ENTRIES} are allowed`);
  const start = at + layout.countBytes;
  const end = length * layout.entryBytes;
  const view = toDataView(await bytes.readBytes(start, end + layout.positionBytes));
  const entries = new Map<number, TagEntry>();
  for (let entry = 0; entry < end; entry += layout.entryBytes) {
    const tag = view.getUint16(entry, littleEndian);
    const type = view.getUint16(entry + 2, littleEndian);
    const count = layout.readPosition(view, entry + 4, littleEndian);
    const total = count * (TYPE_BYTES[type] ?? 0);
    const valueAt = entry + 4 + layout.positionBytes;
    const inline = total <= layout.positionBytes;
    const offset = inline ? start + valueAt : layout.readPosition(view, valueAt, littleEndian);
    requireBytesWithin(bytes.size, offset, total);
    if (total > MAX_TAG_BYTES && !TILE_TABLES.includes(tag)) {
      throw new Error(`tag ${tag} has ${total} bytes, at most ${MAX_TAG_BYTES} are allowed`);
    }
    entries.set(tag, { type, count, offset });
  }
  return { entries, next: layout.readPosition(view, end, littleEndian) };
}

function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
