import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOwnLevels, sizeOfApex } from './block-index.ts';
import { type Cells, createEmptyCells, pasteCells } from './cells.ts';
import { halveInto } from './overview.ts';
import type { BlockTable, CogBlock } from './placed-block.ts';
import type { BlockSource } from './ports.ts';
import { halvingOf, listLevels, type RasterDescription, tileKindOf } from './raster.ts';
import { createSamples, viewBytes } from './sample-type.ts';
import { createTileEncoder, frameTile } from './tile.ts';

/** The framed tiles of the overviews above the blocks' own; `tile` returns undefined where no block lies below. */
export interface Apex {
  readonly tile: (level: number, col: number, row: number) => ApexPlace | undefined;
  readonly readTiles: (offset: number, into: Uint8Array) => void;
  readonly close: () => void;
}

/**
 * Makes, from the apex cells of each block, the overviews that span blocks, tile by tile, depth first. Memory holds
 * the cells of a few tiles per level; finished tiles go to a file.
 */
export async function buildApex(
  raster: RasterDescription,
  table: BlockTable,
  source: BlockSource,
): Promise<Apex> {
  const places = new Map<string, ApexPlace>();
  const top = listLevels(raster).at(-1);
  const ownLevels = countOwnLevels(raster.blockTiles);
  const kind = tileKindOf(raster);
  const halving = halvingOf(raster);
  const tiles = createTileEncoder(kind);
  const file = new ApexFile();

  async function buildHalf(level: number, col: number, row: number): Promise<Cells | null> {
    if (level === ownLevels) {
      const block = table.findBlock(col, row);
      return block === undefined ? null : readApexCells(block, table, source);
    }
    const tile = await buildTile(level, col, row);
    if (tile === null) return null;
    const half = createEmptyCells(Math.ceil(tile.width / 2), Math.ceil(tile.height / 2), kind);
    halveInto(tile, half, 0, halving);
    return half;
  }

  async function buildTile(level: number, col: number, row: number): Promise<Cells | null> {
    const size = computeTileExtent(raster, level, col, row);
    if (size.width === 0 || size.height === 0) return null;
    const cells = createEmptyCells(size.width, size.height, kind);
    const quarters = [0, 1, 2, 3].map((i) => [i % 2, Math.floor(i / 2)] as const);
    const paste = async ([x, y]: readonly [number, number]): Promise<boolean> => {
      const half = await buildHalf(level - 1, col * 2 + x, row * 2 + y);
      if (half === null) return false;
      const edge = raster.tileSize / 2;
      pasteCells(half, cells, x * edge, y * edge, kind.bands);
      return true;
    };
    // Blocks are read in parallel, tiles are made in sequence: memory stays at a few tiles per level.
    const found =
      level - 1 === ownLevels
        ? await Promise.all(quarters.map(paste))
        : await inSequence(quarters, paste);
    if (!found.includes(true)) return null;
    places.set(`${level}/${col}/${row}`, file.append(frameTile(tiles.encodeTile(cells, 0, 0))));
    return cells;
  }

  try {
    if (top !== undefined && top.level > ownLevels) {
      for (let row = 0; row < top.rows; row += 1) {
        for (let col = 0; col < top.cols; col += 1) await buildTile(top.level, col, row);
      }
    }
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    tile: (level, col, row) => places.get(`${level}/${col}/${row}`),
    readTiles: (offset, into) => file.read(offset, into),
    close: () => file.close(),
  };
}

async function inSequence<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** The size of a tile's part within the raster; 0 for a tile past its end. */
function computeTileExtent(raster: RasterDescription, level: number, col: number, row: number) {
  const clampToTile = (cells: number, place: number): number =>
    Math.max(Math.min(Math.ceil(cells / 2 ** level) - place * raster.tileSize, raster.tileSize), 0);
  return { width: clampToTile(raster.width, col), height: clampToTile(raster.height, row) };
}

async function readApexCells(
  block: CogBlock,
  table: BlockTable,
  source: BlockSource,
): Promise<Cells> {
  const { ref, index } = block;
  const { width, height } = sizeOfApex(index);
  const cells = createSamples(index.sampleType, width * height * index.bands);
  await source.readInto(ref, table.apexOffset(block), viewBytes(cells));
  return { cells, width, height };
}

interface ApexPlace {
  readonly offset: number;
  readonly length: number;
}

/**
 * A temporary file for the tiles of the topmost overviews: the header needs the sizes of all these
 * tiles, and the tiles of a large raster would not fit in memory. With blocks of 8 × 8 tiles they are
 * 1/192 of the raster, so Lambda's 512 MB of /tmp are enough for a raster of 90 GB
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-ephemeral-storage.html).
 *
 * Uses a file descriptor, which only `close` closes. The garbage collector would close the
 * FileHandle of an abandoned assembly, which Node deprecates (DEP0137).
 */
class ApexFile {
  private descriptor: number | undefined;
  private end = 0;

  append(tile: Uint8Array): ApexPlace {
    this.descriptor ??= openUnlinked();
    const place = { offset: this.end, length: tile.length };
    for (let written = 0; written < tile.length; ) {
      const left = tile.length - written;
      written += writeSync(this.descriptor, tile, written, left, place.offset + written);
    }
    this.end += tile.length;
    return place;
  }

  /** @throws RangeError if the file is too short */
  read(offset: number, into: Uint8Array): void {
    for (let filled = 0; filled < into.length; ) {
      const left = into.length - filled;
      const bytes =
        this.descriptor === undefined
          ? 0
          : readSync(this.descriptor, into, filled, left, offset + filled);
      if (bytes === 0) {
        throw new RangeError(
          `cannot read ${into.length} bytes at offset ${offset}: the apex file has ${this.end} bytes`,
        );
      }
      filled += bytes;
    }
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }
}

/** Unlinks the file immediately, so that it disappears with the process. */
function openUnlinked(): number {
  const path = join(tmpdir(), `apex-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return descriptor;
}
