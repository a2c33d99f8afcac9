import { mapInParallel } from '../../concurrency/in-parallel.ts';
import type { BoundedBytes } from './bounded-bytes.ts';
import { createByteLimitedCache } from './byte-limited-cache.ts';
import { decompress } from './decompress.ts';
import { countStoredBytes, decodeSamples, type Samples } from './samples.ts';
import { readNumbers } from './tags.ts';
import { countStoredRows, type FileImage, type TiledImage } from './tiled-image.ts';

/** `samples` is null for a tile that a sparse file omits. */
export interface Tile {
  readonly column: number;
  readonly row: number;
  readonly samples: Samples | null;
}

/** A file's bytes. `header` reads through a page cache; `name` is the file's key in the tile cache. */
export interface TileFile {
  readonly name: string;
  readonly bytes: BoundedBytes;
  readonly header: BoundedBytes;
}

/** Tiles of one plane of an image, from `…From` (inclusive) to `…To` (exclusive). */
export interface TileRange {
  readonly columnFrom: number;
  readonly columnTo: number;
  readonly rowFrom: number;
  readonly rowTo: number;
  readonly plane: number;
  /** A tile that a later read may need is cached. */
  readonly isNeededLater: (column: number, row: number) => boolean;
}

/**
 * Successive strips of a block share tiles: for 8 float32 covariates, a row of 512-cell tiles
 * across a block of 4,096 columns takes up to 75 MB.
 */
const CACHE_BYTES = 128 * 2 ** 20;
const cache = createByteLimitedCache<Samples>(CACHE_BYTES);

/** Reading a gap of this size is cheaper than another request: it arrives within one round trip. */
const GAP_BYTES = 64 * 2 ** 10;
/** Maximum bytes of a request for several tiles. */
const REQUEST_BYTES = 4 * 2 ** 20;
const REQUESTS = 4;

/**
 * Calls `take` with each tile of the range as it arrives. Reads each tile once, and tiles that are close together in
 * one request.
 */
export async function readTiles(
  file: TileFile,
  image: FileImage,
  range: TileRange,
  take: (tile: Tile) => void,
): Promise<void> {
  const missing: StoredTile[] = [];
  for (let row = range.rowFrom; row < range.rowTo; row += 1) {
    for (const tile of await listTilesOfRow(file, image, range, row)) {
      const samples = tile.length === 0 ? null : cache.get(tileCacheKey(file, image, tile));
      if (samples === undefined) missing.push(tile);
      else take({ column: tile.column, row, samples });
    }
  }
  await mapInParallel(planRequests(missing), REQUESTS, async ({ offset, length, tiles }) => {
    const bytes = await file.bytes.readBytes(offset, length);
    for (const tile of tiles) {
      const from = tile.offset - offset;
      const samples = await decodeTile(bytes.subarray(from, from + tile.length), image, tile.row);
      if (range.isNeededLater(tile.column, tile.row)) {
        cache.set(tileCacheKey(file, image, tile), samples, samples.byteLength);
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

function tileCacheKey({ name }: TileFile, { level }: FileImage, { index }: StoredTile): string {
  return `${name}\0${level}\0${index}`;
}

async function listTilesOfRow(
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

/** LZW makes incompressible data larger by at most half; the other compressions make it hardly larger. */
function requireSaneLength({ bits, tileWidth, tileHeight, stride }: TiledImage, length: number) {
  const uncompressed = countStoredBytes(bits, tileWidth * stride, tileHeight);
  if (length > 2 * uncompressed + 1024) {
    throw new RangeError(
      `a tile has ${length} compressed bytes, too many for ${uncompressed} uncompressed bytes`,
    );
  }
}

interface Request {
  readonly offset: number;
  readonly length: number;
  readonly tiles: readonly StoredTile[];
}

function planRequests(tiles: readonly StoredTile[]): readonly Request[] {
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

async function decodeTile(bytes: Uint8Array, image: TiledImage, row: number): Promise<Samples> {
  const rows = countStoredRows(image, row);
  const perRow = image.tileWidth * image.stride;
  const size = countStoredBytes(image.bits, perRow, rows);
  const limit = countStoredBytes(image.bits, perRow, image.tileHeight);
  const uncompressed = await decompress(bytes, image.compression, size, limit);
  return decodeSamples(uncompressed, image, perRow, rows, image.stride);
}
