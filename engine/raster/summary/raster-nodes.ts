import { mapInParallel } from '../../concurrency/in-parallel.ts';
import type { BlockSource } from '../cog/ports.ts';
import type { Grid, Window } from '../grid/grid.ts';
import { createGroundMetrics } from '../grid/ground.ts';
import { countChunkBytes, findNodeWindow, windowOfChunk } from './block-nodes.ts';
import type { ErrorSums } from './block-sums.ts';
import { metricOfNode, type NodeEdges } from './correlation.ts';
import type { NodeSums } from './sum-within-job.ts';

export interface BlockNodes {
  /** The caller's name for the block's bytes. */
  readonly ref: string;
  /** Position of the first chunk in the block's bytes. */
  readonly offset: number;
  readonly errors: ErrorSums;
}

interface StoredChunk {
  readonly ref: string;
  readonly offset: number;
  readonly window: Window;
}

/** Maximum size of the chunks in memory. */
const CACHED_BYTES = 32 * 2 ** 20;

const READS_AT_ONCE = 8;

/** The nodes of all blocks of a raster, read by chunks. A node may lie in several blocks. */
export function createNodeReader(
  blocks: readonly BlockNodes[],
  edges: NodeEdges,
  {
    window,
    grid,
    source,
  }: { readonly window: Window; readonly grid: Grid; readonly source: BlockSource },
): NodeSums {
  const chunks = blocks.flatMap(listChunks);
  const all = findNodeWindow({ ...window, col: 0, row: 0 }, edges);
  const metricAt = createGroundMetrics(grid);
  const cached = new Map<StoredChunk, Float32Array>();
  let cachedBytes = 0;

  async function readChunk(chunk: StoredChunk): Promise<Float32Array> {
    const known = cached.get(chunk);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(countChunkBytes(chunk.window));
    await source.readInto(chunk.ref, chunk.offset, bytes);
    const values = new Float32Array(bytes.buffer);
    cached.set(chunk, values);
    cachedBytes += bytes.length;
    for (const [oldest, { byteLength }] of cached) {
      if (cachedBytes <= CACHED_BYTES) break;
      cached.delete(oldest);
      cachedBytes -= byteLength;
    }
    return values;
  }

  return {
    width: all.width,
    height: all.height,
    metric: (col, row) =>
      metricOfNode(metricAt(window.col + col * edges.cols, window.row + row * edges.rows), edges),
    async addTo(into, stride, region) {
      const met = chunks.filter((chunk) => intersectWindows(chunk.window, region) !== null);
      const values = await mapInParallel(met, READS_AT_ONCE, readChunk);
      // Sums of floats depend on the order, and the same blocks must give the same summary.
      for (const [i, { window: chunk }] of met.entries()) {
        addChunk(values[i] ?? new Float32Array(), chunk, into, stride, region);
      }
    },
  };
}

function listChunks({ ref, offset, errors }: BlockNodes): readonly StoredChunk[] {
  let at = offset;
  return errors.chunks.map((chunk) => {
    const window = windowOfChunk(errors.nodes, chunk);
    const stored = { ref, offset: at, window };
    at += countChunkBytes(window);
    return stored;
  });
}

function intersectWindows(a: Window, b: Window): Window | null {
  const col = Math.max(a.col, b.col);
  const row = Math.max(a.row, b.row);
  const width = Math.min(a.col + a.width, b.col + b.width) - col;
  const height = Math.min(a.row + a.height, b.row + b.height) - row;
  return width > 0 && height > 0 ? { col, row, width, height } : null;
}

function addChunk(
  values: Float32Array,
  chunk: Window,
  into: Float64Array,
  stride: number,
  region: Window,
): void {
  const shared = intersectWindows(chunk, region);
  if (shared === null) return;
  for (let r = shared.row; r < shared.row + shared.height; r += 1) {
    const from = (r - chunk.row) * chunk.width + shared.col - chunk.col;
    const to = (r - region.row) * stride + shared.col - region.col;
    for (let i = 0; i < shared.width; i += 1) {
      into[to + i] = (into[to + i] ?? 0) + (values[from + i] ?? 0);
    }
  }
}
