import { inParallel } from '../../concurrency/in-parallel.ts';
import type { BoundedBytes } from './bounded-bytes.ts';
import { byteLimitedCache } from './byte-limited-cache.ts';
import { decompress } from './decompress.ts';
import { type Samples, samplesOf, storedBytes } from './samples.ts';
import { readNumbers } from './tags.ts';
import { storedRows, type TiledImage } from './tiled-image.ts';

/** A tile of an image: its place, and its samples or null where the file left it out (sparse). */
export interface Tile {
  readonly column: number;
  readonly row: number;
  readonly samples: Samples | null;
}

/** A file's bytes; `header` keeps what is near each other, `name` tells files apart. */
export interface TileFile {
  readonly name: string;
  readonly bytes: BoundedBytes;
  readonly header: BoundedBytes;
}

/** Tiles of an image from column and row `…From` to before `…To`, of one plane. */
export interface TileRange {
  readonly columnFrom: number;
  readonly columnTo: number;
  readonly rowFrom: number;
  readonly rowTo: number;
  readonly plane: number;
  /** Whether more of a tile may be asked for: such are kept. */
  readonly isWantedAgain: (column: number, row: number) => boolean;
}

/**
 * Strips of a block cross tiles that the next strip needs again: over a block of 4,096 cells one row
 * of 512-cell tiles of 8 float32 covariates has 75 MB. A predicting function has 1,769 MB, of which a
 * block's cells, encoded and not, take about 500.
 */
const CACHE_BYTES = 128 * 2 ** 20;
const cache = byteLimitedCache<Samples>(CACHE_BYTES);

/** A gap that costs less than another request: 64 KiB arrive in the time of one round trip. */
const GAP_BYTES = 64 * 2 ** 10;
/** Of one request, and with {@link REQUESTS} of what is held undecoded at a time: 16 MiB. */
const REQUEST_BYTES = 4 * 2 ** 20;
const REQUESTS = 4;

/** Calls `take` with each tile of the range as it comes; reads each at most once, neighbours together. */
export async function readTiles(
  file: TileFile,
  image: TiledImage,
  level: number,
  range: TileRange,
  take: (tile: Tile) => void,
): Promise<void> {
  const missing: StoredTile[] = [];
  for (let row = range.rowFrom; row < range.rowTo; row += 1) {
    for (const tile of await tilesOfRow(file, image, range, row)) {
      const samples = tile.length === 0 ? null : cache.get(keyOf(file, level, tile));
      if (samples === undefined) missing.push(tile);
      else take({ column: tile.column, row, samples });
    }
  }
  await inParallel(requestsFor(missing), REQUESTS, async ({ offset, length, tiles }) => {
    const bytes = await file.bytes.read(offset, length);
    for (const tile of tiles) {
      const from = tile.offset - offset;
      const samples = await decode(bytes.subarray(from, from + tile.length), image, tile.row);
      if (range.isWantedAgain(tile.column, tile.row)) {
        cache.set(keyOf(file, level, tile), samples, samples.byteLength);
      }
      take({ column: tile.column, row: tile.row, samples });
    }
  });
}

interface StoredTile {
  readonly index: number;
  readonly column: number;
  readonly row: number;
  readonly offset: number;
  readonly length: number;
}

function keyOf({ name }: TileFile, level: number, { index }: StoredTile): string {
  return `${name}\0${level}\0${index}`;
}

async function tilesOfRow(
  file: TileFile,
  image: TiledImage,
  { columnFrom, columnTo, plane }: TileRange,
  row: number,
): Promise<readonly StoredTile[]> {
  const first = (plane * image.down + row) * image.across + columnFrom;
  const count = columnTo - columnFrom;
  const [offsets, lengths] = await Promise.all(
    [image.offsets, image.byteCounts].map((table) =>
      readNumbers(file.header, table, image.littleEndian, first, count),
    ),
  );
  return Array.from({ length: count }, (_, i) => {
    const length = lengths?.[i] ?? 0;
    requireSaneLength(image, length);
    return { index: first + i, column: columnFrom + i, row, offset: offsets?.[i] ?? 0, length };
  });
}

/** LZW makes at most 3 bytes of 2, the others hardly more than there are. */
function requireSaneLength({ bits, tileWidth, tileHeight, stride }: TiledImage, length: number) {
  const unpacked = storedBytes(bits, tileWidth * stride, tileHeight);
  if (length > 2 * unpacked + 1024) {
    throw new RangeError(`a tile of it claims ${length} bytes for ${unpacked} unpacked`);
  }
}

interface Request {
  readonly offset: number;
  readonly length: number;
  readonly tiles: readonly StoredTile[];
}

/** Tiles near each other in the file come in one request. */
function requestsFor(tiles: readonly StoredTile[]): readonly Request[] {
  const requests: { offset: number; length: number; tiles: StoredTile[] }[] = [];
  for (const tile of [...tiles].sort((a, b) => a.offset - b.offset)) {
    const last = requests.at(-1);
    const end = tile.offset + tile.length;
    const lastEnd = last === undefined ? 0 : last.offset + last.length;
    if (
      last !== undefined &&
      tile.offset - lastEnd <= GAP_BYTES &&
      end - last.offset <= REQUEST_BYTES
    ) {
      last.length = Math.max(lastEnd, end) - last.offset;
      last.tiles.push(tile);
    } else {
      requests.push({ offset: tile.offset, length: tile.length, tiles: [tile] });
    }
  }
  return requests;
}

async function decode(bytes: Uint8Array, image: TiledImage, row: number): Promise<Samples> {
  const rows = storedRows(image, row);
  const perRow = image.tileWidth * image.stride;
  const size = storedBytes(image.bits, perRow, rows);
  const limit = storedBytes(image.bits, perRow, image.tileHeight);
  const unpacked = await decompress(bytes, image.compression, size, limit);
  return samplesOf(unpacked, image, perRow, rows, image.stride);
}
