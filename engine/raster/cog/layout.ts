import type { Apex } from './apex.ts';
import { countOwnLevels } from './block-index.ts';
import { type HeaderShape, headerLength, type TileTable, writeHeader } from './header.ts';
import type { BlockTable } from './placed-block.ts';
import { type Level, listLevels, type RasterDescription, tileKindOf } from './raster.ts';
import { type BandStatistics, mergeStatistics } from './statistics.ts';
import { createTileEncoder, frameTile, LEADER_BYTES, TRAILER_BYTES } from './tile.ts';

export type Segment =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'apex'; readonly offset: number; readonly length: number }
  | {
      readonly kind: 'copy';
      readonly ref: string;
      readonly offset: number;
      readonly length: number;
    };

/**
 * `row-major`: tiles row by row over the whole level, with GDAL's ghost area; needs many short
 * ranges. `by-block`: the tiles of a block stay together, so that long ranges can be copied; no
 * ghost area.
 */
export type TileOrder = 'row-major' | 'by-block';

export interface CogLayout {
  readonly segments: readonly Segment[];
  readonly size: number;
  readonly order: TileOrder;
  readonly bigTiff: boolean;
  readonly statistics: readonly BandStatistics[];
}

export interface LayoutOptions {
  readonly order?: TileOrder;
}

/** Up to this size, reading and joining many short ranges is fast enough. */
const MAX_ROW_MAJOR_BYTES = 128 * 1024 ** 2;

/** Offsets in a classic TIFF have 32 bits. */
const MAX_CLASSIC_BYTES = 2 ** 32 - 1;

/**
 * Plans the file without reading a block: header and directories, overviews from the smallest, full resolution last.
 * A tile without a block holds nodata or, in a sparse raster, is omitted (offset and length 0).
 */
export function planCog(
  raster: RasterDescription,
  table: BlockTable,
  apex: Pick<Apex, 'tile'>,
  options: LayoutOptions = {},
): CogLayout {
  const levels = listLevels(raster);
  const statistics = raster.bands.map((_, band) =>
    mergeStatistics(table.blocks.flatMap(({ index }) => index.statistics[band] ?? [])),
  );
  const nodataTile = frameTile(createTileEncoder(tileKindOf(raster)).nodataTile);
  const bytes = countRowMajorBytes(raster, levels, table, nodataTile.length);
  const order = options.order ?? (bytes <= MAX_ROW_MAJOR_BYTES ? 'row-major' : 'by-block');
  const layOut = (bigTiff: boolean): { segments: Segment[]; size: number } => {
    const header = { raster, levels, statistics, bigTiff, ghostArea: order === 'row-major' };
    return layTiles(header, table, apex, nodataTile);
  };
  const classic = layOut(false);
  const bigTiff = classic.size > MAX_CLASSIC_BYTES;
  return { ...(bigTiff ? layOut(true) : classic), order, bigTiff, statistics };
}

/**
 * Estimates the size in row-major order: the blocks' tiles and, unless the raster is sparse, a
 * nodata tile for each other tile.
 */
function countRowMajorBytes(
  { sparse = false }: RasterDescription,
  levels: readonly Level[],
  { blocks }: BlockTable,
  nodataBytes: number,
): number {
  const stored = blocks.flatMap(({ index }) => index.tileBytes.flat());
  const places = sumNumbers(levels.map(({ cols, rows }) => cols * rows));
  return sumNumbers(stored) + (sparse ? 0 : (places - stored.length) * nodataBytes);
}

function layTiles(
  header: HeaderShape,
  table: BlockTable,
  apex: Pick<Apex, 'tile'>,
  nodataTile: Uint8Array,
): { segments: Segment[]; size: number } {
  const file = new SegmentList(headerLength(header));
  const sources = { blockTiles: header.raster.blockTiles, table, apex };
  const tables: TileTable[] = header.levels.map(({ cols, rows }) => ({
    offsets: new Float64Array(cols * rows),
    byteCounts: new Float64Array(cols * rows),
  }));
  for (const level of [...header.levels].reverse()) {
    const tiles = tables[level.level];
    if (tiles === undefined) continue;
    let sharedOffset: number | null = null;
    for (const [col, row] of walkTilesInOrder(level, header)) {
      const segment = findTileSegment(sources, level.level, col, row);
      let offset: number;
      if (segment !== undefined) offset = file.add(segment);
      else if (header.raster.sparse === true) continue;
      else if (header.ghostArea || sharedOffset === null) {
        offset = file.add({ kind: 'bytes', bytes: nodataTile });
        sharedOffset = offset;
      } else offset = sharedOffset;
      const framed = segment === undefined ? nodataTile.length : lengthOfSegment(segment);
      tiles.offsets[row * level.cols + col] = offset + LEADER_BYTES;
      tiles.byteCounts[row * level.cols + col] = framed - LEADER_BYTES - TRAILER_BYTES;
    }
  }
  // If offsets overflow 32 bits, the caller discards this layout and plans a BigTIFF.
  const bytes = writeHeader(header, tables);
  return { segments: [{ kind: 'bytes', bytes }, ...file.segments], size: file.end };
}

function* walkTilesInOrder(
  level: Level,
  header: HeaderShape,
): Generator<readonly [number, number]> {
  const ownLevels = countOwnLevels(header.raster.blockTiles);
  const edge = header.ghostArea
    ? Number.POSITIVE_INFINITY
    : 2 ** Math.max(ownLevels - level.level, 0);
  for (let top = 0; top < level.rows; top += edge) {
    for (let left = 0; left < level.cols; left += edge) {
      for (let row = top; row < Math.min(top + edge, level.rows); row += 1) {
        for (let col = left; col < Math.min(left + edge, level.cols); col += 1) yield [col, row];
      }
    }
  }
}

interface TileSources {
  readonly blockTiles: number;
  readonly table: BlockTable;
  readonly apex: Pick<Apex, 'tile'>;
}

function findTileSegment(
  { blockTiles, table, apex }: TileSources,
  level: number,
  col: number,
  row: number,
): Segment | undefined {
  if (level <= countOwnLevels(blockTiles)) {
    const stored = table.tile(level, col, row);
    if (stored === undefined) return undefined;
    return { kind: 'copy', ref: stored.ref, offset: stored.offset, length: stored.length };
  }
  const place = apex.tile(level, col, row);
  return place === undefined ? undefined : { kind: 'apex', ...place };
}

/** Merges adjacent ranges of a block. */
class SegmentList {
  readonly segments: Segment[] = [];
  end: number;

  constructor(start: number) {
    this.end = start;
  }

  /** Returns the segment's offset in the file. */
  add(segment: Segment): number {
    const offset = this.end;
    const last = this.segments.at(-1);
    if (
      last?.kind === 'copy' &&
      segment.kind === 'copy' &&
      last.ref === segment.ref &&
      last.offset + last.length === segment.offset
    ) {
      this.segments[this.segments.length - 1] = { ...last, length: last.length + segment.length };
    } else {
      this.segments.push(segment);
    }
    this.end += lengthOfSegment(segment);
    return offset;
  }
}

export function lengthOfSegment(segment: Segment): number {
  return segment.kind === 'bytes' ? segment.bytes.length : segment.length;
}

function sumNumbers(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
