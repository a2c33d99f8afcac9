import { type BlockIndex, ownLevels, tilesAt } from './block-index.ts';
import { type Cells, rowsOf } from './cells.ts';
import type { Compression } from './compression.ts';
import { halveInto, type Resampling } from './overview.ts';
import {
  asSample,
  bytesOf,
  SAMPLES,
  type SampleArray,
  type SampleType,
  samplesIn,
  samplesOf,
  sampleTypeOf,
} from './sample-type.ts';
import { type BandStatistics, bandStatistics, mergeStatistics } from './statistics.ts';
import { framedLength, mostTileBytes, tileEncoder, writeFramed } from './tile.ts';
import { untouchedMemory } from './untouched-memory.ts';

export interface BlockShape {
  readonly width: number;
  readonly height: number;
  readonly sampleType: SampleType;
  /** How overviews are made, band by band; as many as there are bands. */
  readonly resampling: readonly Resampling[];
  readonly nodata: number;
  /** Edge of a tile in cells. */
  readonly tileSize: number;
  /** Edge of a whole block in tiles, a power of two; blocks at the raster's end may be smaller. */
  readonly blockTiles: number;
  readonly compression: Compression;
}

export interface EncodedBlock {
  readonly bytes: Uint8Array;
  readonly index: BlockIndex;
}

export interface BlockEncoder {
  /**
   * The block's next rows: as many as a tile is high, or at the block's end what is left.
   * Pixel-interleaved: samples[(row * width + col) * bands + band]; not kept.
   */
  addRows(samples: SampleArray): void;
  /** After the last row. */
  finish(): EncodedBlock;
}

/**
 * Encodes a block as its rows come: it holds no more than a row of tiles a level, and what is
 * already compressed. The same cells give the same bytes.
 * Throws RangeError at sizes that do not fit and at cells that are not finite.
 */
export function blockEncoder(shape: BlockShape): BlockEncoder {
  checkShape(shape);
  const { width, height, sampleType, resampling, tileSize, blockTiles } = shape;
  const bands = resampling.length;
  const nodata = asSample(sampleType, shape.nodata);
  const tiles = tileEncoder({ ...shape, bands, nodata });
  const room = untouchedMemory(roomBytes(shape));
  const levels = levelsOf(shape, room);
  const statistics: BandStatistics[][] = [];
  // Levels begin where they would if nothing could be compressed; at the end they move together.
  const bytes = Buffer.from(room, 0, mostBytes(shape));
  let rows = 0;

  /** Encodes a row of tiles of that level and hands its half to the next one. */
  function encodeRow(depth: number, source: Cells): void {
    const level = levels[depth];
    const next = levels[depth + 1];
    if (level === undefined || next === undefined) return;
    for (let col = 0; col < source.width; col += tileSize) {
      const data = tiles.encode(source, col, 0);
      level.tileBytes.push(data.length);
      level.end = writeFramed(data, bytes, level.end);
    }
    const target = { cells: next.pending, width: next.width, height: next.pendingRows };
    halveInto(source, target, next.filled, { resampling, nodata });
    const half = Math.ceil(source.height / 2);
    next.filled += half;
    next.done += half;
    if (depth + 1 > ownLevels(blockTiles)) return;
    if (next.filled === tileSize || next.done === next.height) {
      const whole = { ...target, cells: next.pending };
      const full = rowsOf(whole, 0, next.filled, bands);
      next.filled = 0;
      encodeRow(depth + 1, full);
    }
  }

  return {
    addRows(samples) {
      const due = Math.min(tileSize, height - rows);
      if (sampleTypeOf(samples) !== sampleType || samples.length !== due * width * bands) {
        throw new RangeError(
          `${samples.length} ${sampleTypeOf(samples)} samples where ${due} rows of ${width} ${sampleType} cells of ${bands} bands are due`,
        );
      }
      const source = { cells: samples, width, height: due };
      statistics.push(bandStatistics(source, bands, nodata));
      rows += due;
      encodeRow(0, source);
    },

    finish() {
      if (rows !== height) throw new RangeError(`a block of ${height} rows got ${rows}`);
      const apex = levels.at(-1)?.pending ?? samplesOf(sampleType, 0);
      const own = levels.slice(0, -1);
      let end = 0;
      for (const level of own) {
        bytes.copyWithin(end, level.start, level.end);
        end += level.end - level.start;
      }
      bytes.set(bytesOf(apex), end);
      return {
        bytes: bytes.subarray(0, end + apex.byteLength),
        index: {
          format: 'soil-block/2',
          width,
          height,
          bands,
          sampleType,
          compression: shape.compression,
          tileSize,
          blockTiles,
          tileBytes: own.map((level) => level.tileBytes),
          statistics: resampling.map((_, band) =>
            mergeStatistics(statistics.flatMap((strip) => strip[band] ?? [])),
          ),
        },
      };
    },
  };
}

interface EncoderLevel extends LevelSize {
  readonly tileBytes: number[];
  /** Of its tiles in the block's bytes, before they move together. */
  readonly start: number;
  end: number;
  /** Rows that wait for a row of tiles to be full; of the last level, the apex, all there are. */
  readonly pending: SampleArray;
  filled: number;
  /** Rows that have come in all. */
  done: number;
}

/** Full resolution, the block's own overviews, and the apex. */
function levelsOf(shape: BlockShape, room: ArrayBuffer): readonly EncoderLevel[] {
  const { sampleType } = shape;
  let start = 0;
  let pendingAt = pendingStart(shape);
  return sizesOf(shape).map((size, depth) => {
    const pending = samplesIn(sampleType, room, pendingAt, size.pendingSamples);
    const level = { ...size, start, end: start, tileBytes: [], pending, filled: 0, done: 0 };
    pendingAt += pending.byteLength;
    start += mostLevelBytes(shape, depth);
    return level;
  });
}

interface LevelSize {
  readonly width: number;
  readonly height: number;
  readonly pendingRows: number;
  readonly pendingSamples: number;
}

function sizesOf({ width, height, ...shape }: BlockShape): readonly LevelSize[] {
  const own = ownLevels(shape.blockTiles);
  return Array.from({ length: own + 2 }, (_, depth) => {
    const level = { width: Math.ceil(width / 2 ** depth), height: Math.ceil(height / 2 ** depth) };
    const pendingRows = depth > own ? level.height : Math.min(shape.tileSize, level.height);
    const pendingSamples = depth === 0 ? 0 : level.width * pendingRows * shape.resampling.length;
    return { ...level, pendingRows, pendingSamples };
  });
}

/** Behind the block's bytes, where samples of any type may begin. */
const pendingStart = (shape: BlockShape): number => Math.ceil(mostBytes(shape) / 8) * 8;

function roomBytes(shape: BlockShape): number {
  const { bytes } = SAMPLES[shape.sampleType];
  const pending = sizesOf(shape).reduce((sum, size) => sum + size.pendingSamples * bytes, 0);
  return pendingStart(shape) + pending;
}

/** What the block can take at most, cells that cannot be compressed included. */
function mostBytes(shape: BlockShape): number {
  const { width, height, blockTiles, sampleType } = shape;
  const apexCells = Math.ceil(width / blockTiles / 2) * Math.ceil(height / blockTiles / 2);
  let most = apexCells * shape.resampling.length * SAMPLES[sampleType].bytes;
  for (let level = 0; level <= ownLevels(blockTiles); level += 1) {
    most += mostLevelBytes(shape, level);
  }
  return most;
}

function mostLevelBytes(shape: BlockShape, level: number): number {
  const { cols, rows } = tilesAt(shape, level);
  return cols * rows * framedLength(mostTileBytes({ ...shape, bands: shape.resampling.length }));
}

function checkShape({ width, height, resampling, tileSize, blockTiles }: BlockShape): void {
  const edge = tileSize * blockTiles;
  if (!Number.isInteger(Math.log2(blockTiles)) || tileSize % 16 !== 0 || tileSize <= 0) {
    throw new RangeError(`tiles of ${tileSize} cells, blocks of ${blockTiles} tiles`);
  }
  if (width < 1 || height < 1 || width > edge || height > edge) {
    throw new RangeError(`a block of ${width} × ${height} cells; at most ${edge} × ${edge}`);
  }
  if (resampling.length < 1 || resampling.length > 32) {
    throw new RangeError(`${resampling.length} bands; 1 to 32 are possible`);
  }
}
