import type { Window } from '../grid/grid.ts';
import type { NodeEdges } from './correlation.ts';

/**
 * The nodes of a block are stored in chunks, row by row, with one float32 per node. A chunk is a square with an edge
 * of this many nodes, or fewer at the block's eastern and southern ends. Empty chunks are omitted.
 */
const CHUNK_NODES = 256;

const NODE_BYTES = Float32Array.BYTES_PER_ELEMENT;

/** The nodes that a block's cells belong to; counted, like the cells, from the raster's corner. */
export function findNodeWindow({ col, row, width, height }: Window, edges: NodeEdges): Window {
  const first = { col: Math.floor(col / edges.cols), row: Math.floor(row / edges.rows) };
  return {
    ...first,
    width: Math.ceil((col + width) / edges.cols) - first.col,
    height: Math.ceil((row + height) / edges.rows) - first.row,
  };
}

/** Chunks are numbered row by row. */
export function windowOfChunk(nodes: Window, chunk: number): Window {
  const across = Math.ceil(nodes.width / CHUNK_NODES);
  const col = (chunk % across) * CHUNK_NODES;
  const row = Math.floor(chunk / across) * CHUNK_NODES;
  return {
    col: nodes.col + col,
    row: nodes.row + row,
    width: Math.min(CHUNK_NODES, nodes.width - col),
    height: Math.min(CHUNK_NODES, nodes.height - row),
  };
}

export function countChunks({ width, height }: Window): number {
  return Math.ceil(width / CHUNK_NODES) * Math.ceil(height / CHUNK_NODES);
}

export function countChunkBytes({ width, height }: Window): number {
  return width * height * NODE_BYTES;
}

export interface NodeWriter {
  /** The block's nodes, counted from the raster's corner. */
  readonly window: Window;
  /** @param row the row of cells, counted from the raster's first; never less than in the previous call */
  beginRow(row: number): void;
  /** @param col the cell's column, counted from the block's first */
  addError(col: number, error: number): void;
  /** Call after the last row. */
  finish(): { readonly chunks: number[]; readonly bytes: readonly Uint8Array[] };
}

/**
 * Sums the errors of cells by node. Each row of nodes is summed in float64, so that float32 rounds each sum once.
 * @param block counted from the raster's corner
 */
export function createNodeWriter(block: Window, edges: NodeEdges): NodeWriter {
  const window = findNodeWindow(block, edges);
  const across = Math.ceil(window.width / CHUNK_NODES);
  const chunks = new Map<number, Float32Array>();
  const sums = new Float64Array(window.width);
  const before = block.col - window.col * edges.cols;
  let current: number | null = null;

  function storeRow(): void {
    if (current === null) return;
    const row = current - window.row;
    for (let at = 0; at < across; at += 1) {
      const start = at * CHUNK_NODES;
      const part = sums.subarray(start, start + CHUNK_NODES);
      if (part.every((sum) => sum === 0)) continue;
      const chunk = Math.floor(row / CHUNK_NODES) * across + at;
      const values = chunks.get(chunk) ?? createEmptyChunk(window, chunk);
      chunks.set(chunk, values);
      values.set(part, (row % CHUNK_NODES) * part.length);
    }
    sums.fill(0);
  }

  return {
    window,
    beginRow(row) {
      const node = Math.floor(row / edges.rows);
      if (node === current) return;
      storeRow();
      current = node;
    },
    addError(col, error) {
      const at = Math.floor((before + col) / edges.cols);
      sums[at] = (sums[at] ?? 0) + error;
    },
    finish() {
      storeRow();
      const stored = [...chunks].sort(([a], [b]) => a - b);
      return {
        chunks: stored.map(([chunk]) => chunk),
        bytes: stored.map(([, values]) => new Uint8Array(values.buffer)),
      };
    },
  };
}

function createEmptyChunk(nodes: Window, chunk: number): Float32Array {
  return new Float32Array(
    countChunkBytes(windowOfChunk(nodes, chunk)) / Float32Array.BYTES_PER_ELEMENT,
  );
}
