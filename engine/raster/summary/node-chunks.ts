import type { Window } from '../grid/grid.ts';
import type { NodeEdges } from './correlation.ts';

/**
 * The nodes of a block are stored in chunks: squares of this many nodes, less at the block's eastern
 * and southern ends, row by row, two float32 numbers per node. Empty chunks are omitted.
 */
export const CHUNK_NODES = 256;

const NODE_BYTES = 2 * Float32Array.BYTES_PER_ELEMENT;

/** The nodes that a block's cells belong to; counted, like the cells, from the raster's corner. */
export function nodesOf({ col, row, width, height }: Window, edges: NodeEdges): Window {
  const first = { col: Math.floor(col / edges.cols), row: Math.floor(row / edges.rows) };
  return {
    ...first,
    width: Math.ceil((col + width) / edges.cols) - first.col,
    height: Math.ceil((row + height) / edges.rows) - first.row,
  };
}

/** The nodes of a chunk. Chunks are numbered row by row. */
export function chunkWindow(nodes: Window, chunk: number): Window {
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

export function chunkCount({ width, height }: Window): number {
  return Math.ceil(width / CHUNK_NODES) * Math.ceil(height / CHUNK_NODES);
}

export function chunkBytes({ width, height }: Window): number {
  return width * height * NODE_BYTES;
}
