import type { BlockIndex } from '../../raster/cog/block-index.ts';
import type { BlockSource } from '../../raster/cog/ports.ts';
import type { BatchId } from '../identity.ts';

/** Port to patch-batches' encoded blocks: written once each, the same bytes when written again. */
export interface BlockStore extends BlockSource {
  write(
    batchId: BatchId,
    jobIndex: number,
    idx: number,
    block: { readonly bytes: Uint8Array; readonly index: BlockIndex },
  ): Promise<void>;
  readIndex(batchId: BatchId, jobIndex: number, idx: number): Promise<BlockIndex>;
  /** The name under which {@link BlockSource.read} and server-side copies know the block. */
  ref(batchId: BatchId, jobIndex: number, idx: number): string;
}
