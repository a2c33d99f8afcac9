import type { BlockIndex } from '#engine/raster/cog/block-index.ts';
import type { BlockSource } from '#engine/raster/cog/ports.ts';
import type { BatchId } from '../identity.ts';

export interface BlockId {
  readonly batchId: BatchId;
  readonly jobIndex: number;
  readonly idx: number;
}

/** Port to the encoded blocks of patch-batches. Writing a block again writes the same bytes. */
export interface BlockStore extends BlockSource {
  write(
    batchId: BatchId,
    jobIndex: number,
    idx: number,
    block: { readonly bytes: Uint8Array; readonly index: BlockIndex },
  ): Promise<void>;
  /** Copies a block and its index within the store; false if it no longer exists or has another format. */
  copy(from: BlockId, to: BlockId): Promise<boolean>;
  readIndex(batchId: BatchId, jobIndex: number, idx: number): Promise<BlockIndex>;
  /** The name of the block for {@link BlockSource.read} and for server-side copies. */
  ref(batchId: BatchId, jobIndex: number, idx: number): string;
}
