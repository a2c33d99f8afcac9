import { countChunkBytes, windowOfChunk } from '../summary/block-nodes.ts';
import { type BlockIndex, locateTiles } from './block-index.ts';
import type { CogBlock } from './placed-block.ts';
import type { BlockSource } from './ports.ts';

const HELD_BYTES = 2 ** 20;

/**
 * Returns a source that reads each block of a small job in a single request. For a larger job,
 * returns the given source.
 */
export function createWholeBlockSource(
  source: BlockSource,
  blocks: readonly CogBlock[],
): BlockSource {
  const lengths = new Map(blocks.map(({ ref, index }) => [ref, lengthOfBlock(index)]));
  const held = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  if (held > HELD_BYTES) return source;
  const begun = new Map<string, Promise<Uint8Array>>();
  const readWhole = async (ref: string): Promise<Uint8Array> => {
    const bytes = new Uint8Array(lengths.get(ref) ?? 0);
    await source.readInto(ref, 0, bytes);
    return bytes;
  };
  return {
    async readInto(ref, offset, into) {
      const reading = begun.get(ref) ?? readWhole(ref);
      begun.set(ref, reading);
      into.set((await reading).subarray(offset, offset + into.length));
    },
  };
}

function lengthOfBlock(index: BlockIndex): number {
  const errors = index.sums?.errors ?? null;
  const nodes =
    errors?.chunks.map((chunk) => countChunkBytes(windowOfChunk(errors.nodes, chunk))) ?? [];
  return nodes.reduce((sum, bytes) => sum + bytes, locateTiles(index).nodesOffset);
}
