import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { assembleCog } from '../../lambdas/raster/cog/assemble.ts';
import { type BlockEncoder, blockEncoder } from '../../lambdas/raster/cog/block-encoder.ts';
import type { RasterDescription } from '../../lambdas/raster/cog/raster.ts';
import { cpuMs, ownUse } from '../own-use.ts';
import { localSource, localTarget, readIndex, writeBlock } from './local-store.ts';

// Usage: write-cog SOURCE OFFSET SIZE BANDS WORKERS FOLDER TARGET [ROUNDS]
// Blocks, then assembly, as the pipeline does them: cells come strip by strip from the source, as
// they come from the predictor there. With more than one worker blocks are encoded in threads. With
// several rounds all is done again and again: the cheapest is what it takes once all is compiled.

const NODATA = -9999;
const TILE = 512;
const BLOCK_TILES = 4;
const EDGE = TILE * BLOCK_TILES;

interface Order {
  readonly source: string;
  readonly offset: number;
  readonly size: number;
  readonly bands: number;
  readonly workers: number;
  readonly folder: string;
  readonly target: string;
  readonly rounds: number;
}

interface Place {
  readonly ref: string;
  readonly col: number;
  readonly row: number;
}

const startedAt = performance.now();
if (isMainThread) await main(orderFrom(process.argv.slice(2)));
else await encodeShare(workerData.order, workerData.worker);

function orderFrom([
  source = '',
  offset,
  size,
  bands,
  workers,
  folder = '',
  target = '',
  rounds = '1',
]: string[]): Order {
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

async function main(order: Order): Promise<void> {
  const rounds: number[] = [];
  while (rounds.length < order.rounds) rounds.push(await cpuMs(() => write(order)));
  const { size } = statSync(order.target);
  console.log(
    JSON.stringify({ ...ownUse(startedAt), round_cpu_s: Math.min(...rounds) / 1000, size }),
  );
}

async function write(order: Order): Promise<void> {
  if (order.workers === 1) await encodeShare(order, 0);
  else await Promise.all(Array.from({ length: order.workers }, (_, i) => runWorker(order, i)));
  const { folder } = order;
  const blocks = await Promise.all(
    placesOf(order).map(async (place) => ({ ...place, index: await readIndex(folder, place.ref) })),
  );
  await assembleCog({
    raster: describe(order),
    blocks,
    source: localSource(folder),
    target: localTarget(folder, order.target),
  });
}

function describe({ size, bands }: Order): RasterDescription {
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

function placesOf({ size }: Order): readonly Place[] {
  const places: Place[] = [];
  for (let row = 0; row < size; row += EDGE) {
    for (let col = 0; col < size; col += EDGE) places.push({ ref: `${col}-${row}`, col, row });
  }
  return places;
}

function runWorker(order: Order, worker: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Of what it allocates little is objects: room for more would be taken, and not used.
    const resourceLimits = { maxYoungGenerationSizeMb: 1 };
    const program = new URL(import.meta.url);
    const thread = new Worker(program, { workerData: { order, worker }, resourceLimits });
    thread.once('message', () => resolve());
    thread.once('error', reject);
  });
}

async function encodeShare(order: Order, worker: number): Promise<void> {
  const source = openSync(order.source, 'r');
  const strip = new Float32Array(
    Math.min(TILE, order.size) * Math.min(EDGE, order.size) * order.bands,
  );
  for (const [i, place] of placesOf(order).entries()) {
    if (i % order.workers !== worker) continue;
    await encodePlace(order, place, source, strip);
    // A function encodes one block; here one process does many, and leaves none behind.
    globalThis.gc?.();
  }
  closeSync(source);
  parentPort?.postMessage('done');
}

async function encodePlace(
  order: Order,
  { ref, col, row }: Place,
  source: number,
  strip: Float32Array,
): Promise<void> {
  const { size, bands, folder } = order;
  const width = Math.min(EDGE, size - col);
  const height = Math.min(EDGE, size - row);
  const encoder = encoderOf(width, height, bands);
  for (let top = 0; top < height; top += TILE) {
    const rows = Math.min(TILE, height - top);
    readRows(order, source, { col, row: row + top, width, rows }, strip);
    encoder.addRows(strip.subarray(0, rows * width * bands));
  }
  await writeBlock(folder, ref, encoder.finish());
}

function encoderOf(width: number, height: number, bands: number): BlockEncoder {
  return blockEncoder({
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
  { offset, size, bands }: Order,
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
