import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { assembleCog } from '#engine/raster/cog/assemble.ts';
import { type BlockEncoder, createBlockEncoder } from '#engine/raster/cog/block-encoder.ts';
import type { RasterDescription } from '#engine/raster/cog/raster.ts';
import { measureCpuMs, measureOwnUse } from '../own-use.ts';
import { createLocalSource, createLocalTarget, readBlockIndex, writeBlock } from './local-store.ts';

// Usage: write-cog SOURCE OFFSET SIZE BANDS WORKERS FOLDER TARGET [ROUNDS]. Encodes blocks, then assembles them, like
// the pipeline; cells come in strips, as from a prediction. Several workers encode blocks in threads. Of several rounds
// the fastest counts, because it runs compiled code.

const NODATA = -9999;
const TILE = 512;
const BLOCK_TILES = 4;
const EDGE = TILE * BLOCK_TILES;

interface Settings {
  readonly source: string;
  readonly offset: number;
  readonly size: number;
  readonly bands: number;
  readonly workers: number;
  readonly folder: string;
  readonly target: string;
  readonly rounds: number;
}

interface BlockPosition {
  readonly ref: string;
  readonly col: number;
  readonly row: number;
}

const startedAt = performance.now();
if (isMainThread) await main(parseSettings(process.argv.slice(2)));
else await encodeBlocks(workerData.settings, workerData.worker);

function parseSettings([
  source = '',
  offset,
  size,
  bands,
  workers,
  folder = '',
  target = '',
  rounds = '1',
]: string[]): Settings {
  return {
    source,
    offset: Number(offset),
    size: Number(size),
    bands: Number(bands),
    workers: Number(workers),
    folder,
    target,
    rounds: Number(rounds),
  };
}

async function main(settings: Settings): Promise<void> {
  const rounds: number[] = [];
  while (rounds.length < settings.rounds) rounds.push(await measureCpuMs(() => writeCog(settings)));
  const { size } = statSync(settings.target);
  console.log(
    JSON.stringify({ ...measureOwnUse(startedAt), round_cpu_s: Math.min(...rounds) / 1000, size }),
  );
}

async function writeCog(settings: Settings): Promise<void> {
  if (settings.workers === 1) await encodeBlocks(settings, 0);
  else
    await Promise.all(Array.from({ length: settings.workers }, (_, i) => runWorker(settings, i)));
  const { folder } = settings;
  const blocks = await Promise.all(
    listPositions(settings).map(async (block) => ({
      ...block,
      index: await readBlockIndex(folder, block.ref),
    })),
  );
  await assembleCog({
    raster: describeRaster(settings),
    blocks,
    source: createLocalSource(folder),
    target: createLocalTarget(folder, settings.target),
  });
}

function describeRaster({ size, bands }: Settings): RasterDescription {
  return {
    width: size,
    height: size,
    crs: { epsg: 28992, name: 'Amersfoort / RD New', geographic: false },
    origin: [178_440, 333_760],
    cellSize: 10,
    tileSize: TILE,
    blockTiles: BLOCK_TILES,
    bands: Array.from({ length: bands }, (_, i) => ({
      name: `band ${i + 1}`,
      description: 'soil organic carbon density',
      unit: 'kg/m3',
    })),
    nodata: NODATA,
    tags: {},
  };
}

function listPositions({ size }: Settings): readonly BlockPosition[] {
  const positions: BlockPosition[] = [];
  for (let row = 0; row < size; row += EDGE) {
    for (let col = 0; col < size; col += EDGE) positions.push({ ref: `${col}-${row}`, col, row });
  }
  return positions;
}

function runWorker(settings: Settings, worker: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // The worker allocates few objects and would not use a larger young generation.
    const resourceLimits = { maxYoungGenerationSizeMb: 1 };
    const program = new URL(import.meta.url);
    const thread = new Worker(program, { workerData: { settings, worker }, resourceLimits });
    thread.once('message', () => resolve());
    thread.once('error', reject);
  });
}

async function encodeBlocks(settings: Settings, worker: number): Promise<void> {
  const source = openSync(settings.source, 'r');
  const strip = new Float32Array(
    Math.min(TILE, settings.size) * Math.min(EDGE, settings.size) * settings.bands,
  );
  for (const [i, block] of listPositions(settings).entries()) {
    if (i % settings.workers !== worker) continue;
    await encodeBlock(settings, block, source, strip);
    // An invocation encodes few blocks, but this process encodes many, so it collects garbage after each block.
    globalThis.gc?.();
  }
  closeSync(source);
  parentPort?.postMessage('done');
}

async function encodeBlock(
  settings: Settings,
  { ref, col, row }: BlockPosition,
  source: number,
  strip: Float32Array,
): Promise<void> {
  const { size, bands, folder } = settings;
  const width = Math.min(EDGE, size - col);
  const height = Math.min(EDGE, size - row);
  const encoder = createEncoder(width, height, bands);
  for (let top = 0; top < height; top += TILE) {
    const rows = Math.min(TILE, height - top);
    readRows(settings, source, { col, row: row + top, width, rows }, strip);
    encoder.addRows(strip.subarray(0, rows * width * bands));
  }
  await writeBlock(folder, ref, encoder.finish(null));
}

function createEncoder(width: number, height: number, bands: number): BlockEncoder {
  return createBlockEncoder({
    width,
    height,
    sampleType: 'float32',
    resampling: Array.from({ length: bands }, () => 'average'),
    nodata: NODATA,
    tileSize: TILE,
    blockTiles: BLOCK_TILES,
    compression: 'deflate',
  });
}

function readRows(
  { offset, size, bands }: Settings,
  source: number,
  window: {
    readonly col: number;
    readonly row: number;
    readonly width: number;
    readonly rows: number;
  },
  into: Float32Array,
): void {
  const rowBytes = window.width * bands * 4;
  for (let y = 0; y < window.rows; y += 1) {
    const at = offset + ((window.row + y) * size + window.col) * bands * 4;
    readSync(source, new Uint8Array(into.buffer, y * rowBytes, rowBytes), 0, rowBytes, at);
  }
}
