import type { SummedBlock } from '../summary/block-sums.ts';
import { BLOCK_FORMAT, type BlockIndex, countOwnLevels, countTilesAt } from './block-index.ts';
import { type Cells, viewRows } from './cells.ts';
import type { Compression } from './compression.ts';
import { halveInto, type Resampling } from './overview.ts';
import {
  createSamples,
  roundToSample,
  SAMPLES,
  type SampleArray,
  type SampleType,
  sampleTypeOf,
  viewBytes,
  viewSamples,
} from './sample-type.ts';
import { type BandStatistics, computeBandStatistics, mergeStatistics } from './statistics.ts';
import { createTileEncoder, framedLength, maxTileBytes, writeFramed } from './tile.ts';

export interface BlockShape {
  readonly width: number;
  readonly height: number;
  readonly sampleType: SampleType;
  /** One per band. */
  readonly resampling: readonly Resampling[];
  readonly nodata: number;
  /** Edge of a tile in cells. */
  readonly tileSize: number;
  /** Edge of a full block in tiles, a power of two; blocks at the raster's edges may be smaller. */
  readonly blockTiles: number;
  readonly compression: Compression;
}

export interface EncodedBlock {
  readonly bytes: Uint8Array;
  readonly index: BlockIndex;
}

export interface BlockEncoder {
  /**
   * Adds the next `tileSize` rows, or the remaining rows at the block's end. Pixel-interleaved: samples[(row *
   * width + col) * bands + band]. The encoder does not keep the array.
   */
  addRows(samples: SampleArray): void;
  /**
   * Call after the last row.
   * @param summed the block's contribution to the job's summary
   */
  finish(summed: SummedBlock | null): EncodedBlock;
}

/**
 * Encodes a block while its rows arrive. Memory holds one row of tiles per level, the apex and the compressed bytes.
 * The same cells give the same bytes.
 * Throws RangeError for sizes that do not fit and for cells that are not finite.
 */
export function createBlockEncoder(shape: BlockShape): BlockEncoder {
  requireValidShape(shape);
  const { width, height, sampleType, resampling, tileSize, blockTiles } = shape;
  const bands = resampling.length;
  const nodata = roundToSample(sampleType, shape.nodata);
  const tiles = createTileEncoder({ ...shape, bands, nodata });
  const memory = allocateUninitialized(countMemoryBytes(shape));
  const levels = createLevels(shape, memory);
  const statistics: BandStatistics[][] = [];
  // Each level starts as if every tile before it had its maximum length. `finish` closes the gaps.
  const bytes = Buffer.from(memory, 0, countMaxBytes(shape));
  let rows = 0;

  function encodeRow(depth: number, source: Cells): void {
    const level = levels[depth];
    const next = levels[depth + 1];
    if (level === undefined || next === undefined) return;
    for (let col = 0; col < source.width; col += tileSize) {
      const data = tiles.encodeTile(source, col, 0);
      level.tileBytes.push(data.length);
      level.end = writeFramed(data, bytes, level.end);
    }
    const target = { cells: next.pending, width: next.width, height: next.pendingRows };
    halveInto(source, target, next.filled, { resampling, nodata });
    const half = Math.ceil(source.height / 2);
    next.filled += half;
    next.done += half;
    if (depth + 1 > countOwnLevels(blockTiles)) return;
    if (next.filled === tileSize || next.done === next.height) {
      const whole = { ...target, cells: next.pending };
      const full = viewRows(whole, 0, next.filled, bands);
      next.filled = 0;
      encodeRow(depth + 1, full);
    }
  }

  return {
    addRows(samples) {
      const expected = Math.min(tileSize, height - rows);
      if (sampleTypeOf(samples) !== sampleType || samples.length !== expected * width * bands) {
        throw new RangeError(
          `got ${samples.length} ${sampleTypeOf(samples)} samples; expected ${expected} rows of ${width} ${sampleType} cells with ${bands} bands`,
        );
      }
      const source = { cells: samples, width, height: expected };
      statistics.push(computeBandStatistics(source, bands, nodata));
      rows += expected;
      encodeRow(0, source);
    },

    finish(summed) {
      if (rows !== height) throw new RangeError(`got ${rows} rows; expected ${height}`);
      const apex = levels.at(-1)?.pending ?? createSamples(sampleType, 0);
      const ownLevels = levels.slice(0, -1);
      let end = 0;
      for (const level of ownLevels) {
        bytes.copyWithin(end, level.start, level.end);
        end += level.end - level.start;
      }
      bytes.set(viewBytes(apex), end);
      return {
        bytes: joinParts(memory, end + apex.byteLength, summed?.nodes ?? []),
        index: {
          format: BLOCK_FORMAT,
          width,
          height,
          bands,
          sampleType,
          compression: shape.compression,
          tileSize,
          blockTiles,
          tileBytes: ownLevels.map((level) => level.tileBytes),
          statistics: resampling.map((_, band) =>
            mergeStatistics(statistics.flatMap((strip) => strip[band] ?? [])),
          ),
          sums: summed?.sums ?? null,
        },
      };
    },
  };
}

function joinParts(memory: ArrayBuffer, used: number, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, used);
  const target = length <= memory.byteLength ? memory : new ArrayBuffer(length);
  const bytes = Buffer.from(target, 0, length);
  if (target !== memory) bytes.set(new Uint8Array(memory, 0, used));
  let at = used;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

interface EncoderLevel extends LevelSize {
  readonly tileBytes: number[];
  /** Range of its tiles in the buffer, before the gaps are closed. */
  readonly start: number;
  end: number;
  /** Collects rows until a row of tiles is full. The last level, the apex, holds all of its rows. */
  readonly pending: SampleArray;
  filled: number;
  /** Rows received so far. */
  done: number;
}

/** Full resolution, the block's own overviews, and the apex. */
function createLevels(shape: BlockShape, memory: ArrayBuffer): readonly EncoderLevel[] {
  const { sampleType } = shape;
  let start = 0;
  let pendingAt = pendingStart(shape);
  return listLevelSizes(shape).map((size, depth) => {
    const pending = viewSamples(sampleType, memory, pendingAt, size.pendingSamples);
    const level = { ...size, start, end: start, tileBytes: [], pending, filled: 0, done: 0 };
    pendingAt += pending.byteLength;
    start += countMaxLevelBytes(shape, depth);
    return level;
  });
}

interface LevelSize {
  readonly width: number;
  readonly height: number;
  readonly pendingRows: number;
  readonly pendingSamples: number;
}

function listLevelSizes({ width, height, ...shape }: BlockShape): readonly LevelSize[] {
  const ownLevels = countOwnLevels(shape.blockTiles);
  return Array.from({ length: ownLevels + 2 }, (_, depth) => {
    const level = { width: Math.ceil(width / 2 ** depth), height: Math.ceil(height / 2 ** depth) };
    const pendingRows = depth > ownLevels ? level.height : Math.min(shape.tileSize, level.height);
    const pendingSamples = depth === 0 ? 0 : level.width * pendingRows * shape.resampling.length;
    return { ...level, pendingRows, pendingSamples };
  });
}

/** Pending samples follow the block's bytes, aligned for samples of any type. */
const pendingStart = (shape: BlockShape): number => Math.ceil(countMaxBytes(shape) / 8) * 8;

function countMemoryBytes(shape: BlockShape): number {
  const { bytes } = SAMPLES[shape.sampleType];
  const pending = listLevelSizes(shape).reduce((sum, size) => sum + size.pendingSamples * bytes, 0);
  return pendingStart(shape) + pending;
}

function countMaxBytes(shape: BlockShape): number {
  const { width, height, blockTiles, sampleType } = shape;
  const apexCells = Math.ceil(width / blockTiles / 2) * Math.ceil(height / blockTiles / 2);
  let max = apexCells * shape.resampling.length * SAMPLES[sampleType].bytes;
  for (let level = 0; level <= countOwnLevels(blockTiles); level += 1) {
    max += countMaxLevelBytes(shape, level);
  }
  return max;
}

function countMaxLevelBytes(shape: BlockShape, level: number): number {
  const { cols, rows } = countTilesAt(shape, level);
  return cols * rows * framedLength(maxTileBytes({ ...shape, bands: shape.resampling.length }));
}

function requireValidShape({ width, height, resampling, tileSize, blockTiles }: BlockShape): void {
  const edge = tileSize * blockTiles;
  if (!Number.isInteger(Math.log2(blockTiles)) || tileSize % 16 !== 0 || tileSize <= 0) {
    throw new RangeError(
      `tileSize ${tileSize}, blockTiles ${blockTiles}: expected a multiple of 16 and a power of two`,
    );
  }
  if (width < 1 || height < 1 || width > edge || height > edge) {
    throw new RangeError(
      `a block of ${width} × ${height} cells: expected 1 × 1 to ${edge} × ${edge}`,
    );
  }
  if (resampling.length < 1 || resampling.length > 32) {
    throw new RangeError(`${resampling.length} bands: expected 1 to 32`);
  }
}

/**
 * Memory that is not zeroed, for buffers of which only a part is written: untouched pages cost
 * nothing. malloc(3) maps allocations above 32 MiB separately, so that all pages return to the
 * system when the buffer is collected (mallopt(3): DEFAULT_MMAP_THRESHOLD_MAX).
 */
function allocateUninitialized(length: number): ArrayBuffer {
  const mapped = length < SMALL_BYTES ? length : Math.max(length, MAPPED_BYTES);
  return Buffer.allocUnsafeSlow(mapped).buffer;
}

const MAPPED_BYTES = 33 * 2 ** 20;
const SMALL_BYTES = 2 ** 20;
