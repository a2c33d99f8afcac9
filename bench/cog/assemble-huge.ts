import { assembleCog } from '#engine/raster/cog/assemble.ts';
import { apexSize, parseBlockIndex, placesOf, tilesAt } from '#engine/raster/cog/block-index.ts';
import type { CogBlock } from '#engine/raster/cog/placed-block.ts';
import type { CogTarget } from '#engine/raster/cog/ports.ts';
import { ownUse } from '../own-use.ts';

// Usage: assemble-huge SIZE BLOCK_TILES BANDS
// Assembles blocks whose tiles have lengths but no content: indexes are parsed from JSON, apex cells are
// generated when read, and the target only counts uploads and copies.

const TILE = 512;
/** A compressed tile of float32 cells: 1 MiB per band at a ratio of 1.6. */
const TILE_BYTES = 655_000;

const startedAt = performance.now();
const [size = 0, blockTiles = 0, bands = 0] = process.argv.slice(2).map(Number);
const blocks = placeBlocks();
const apexCells = new Map<number, Uint8Array>();
const recorded = { copied: 0, uploaded: 0, copies: 0, uploads: 0 };

const { parts } = await assembleCog({
  raster: {
    width: size,
    height: size,
    crs: { epsg: 28992, name: 'Amersfoort / RD New', geographic: false },
    origin: [0, 1_000_000],
    cellSize: 10,
    tileSize: TILE,
    blockTiles,
    bands: Array.from({ length: bands }, (_, i) => ({ name: `b${i}`, description: '', unit: '1' })),
    nodata: -9999,
    tags: {},
  },
  blocks,
  source: { read: async (ref, offset, into) => into.set(readCells(ref, offset, into.length)) },
  target: countingTarget(),
});
console.log(JSON.stringify({ ...ownUse(startedAt), blocks: blocks.length, parts, ...recorded }));

function placeBlocks(): CogBlock[] {
  const edge = TILE * blockTiles;
  const placed: CogBlock[] = [];
  for (let row = 0; row < size; row += edge) {
    for (let col = 0; col < size; col += edge) {
      const width = Math.min(edge, size - col);
      const height = Math.min(edge, size - row);
      placed.push({ ref: `${col},${row}`, col, row, index: storedIndex(width, height) });
    }
  }
  return placed;
}

function storedIndex(width: number, height: number): CogBlock['index'] {
  const levels = Array.from({ length: Math.log2(blockTiles) + 1 }, (_, level) => level);
  const text = JSON.stringify({
    format: 'soil-block/3',
    width,
    height,
    bands,
    sampleType: 'float32',
    compression: 'deflate',
    tileSize: TILE,
    blockTiles,
    tileBytes: levels.map((level) => {
      const { cols, rows } = tilesAt({ width, height, tileSize: TILE }, level);
      return Array.from({ length: cols * rows }, (_, i) => TILE_BYTES * bands + i);
    }),
    statistics: Array.from({ length: bands }, () => ({
      count: width * height,
      min: 0,
      max: 40,
      mean: 20,
      squaredDeviations: 100,
    })),
    sums: null,
  });
  return parseBlockIndex(JSON.parse(text));
}

/** Apex cells of hills and noise; tiles are empty. */
function readCells(ref: string, offset: number, length: number): Uint8Array {
  const block = blocks.find((one) => one.ref === ref);
  if (block === undefined || offset !== placesOf(block.index).apexOffset)
    return Buffer.alloc(length);
  const known = apexCells.get(length);
  if (known !== undefined) return known;
  const { width, height } = apexSize(block.index);
  let seed = 1;
  const cells = Float32Array.from({ length: width * height * bands }, (_, i) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return (20 + 10 * Math.sin(i / 900)) * (1 + seed / 2 ** 40);
  });
  const bytes = new Uint8Array(cells.buffer);
  apexCells.set(length, bytes);
  return bytes;
}

function countingTarget(): CogTarget {
  return {
    putWhole: async () => {
      throw new Error('a raster of this size needs a multipart upload');
    },
    begin: async () => ({
      async uploadPart(_, bytes) {
        recorded.uploads += 1;
        recorded.uploaded += bytes.length;
      },
      async copyPart(_part, _ref, _offset, length) {
        recorded.copies += 1;
        recorded.copied += length;
      },
      complete: async () => '',
      abort: async () => undefined,
    }),
  };
}
