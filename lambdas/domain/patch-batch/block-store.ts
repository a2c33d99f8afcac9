import type { BlockIndex } from '../../raster/cog/block-index.ts';
import type { BlockSource } from '../../raster/cog/ports.ts';
import type { BatchId } from '../identity.ts';

export interface BlockId {
  readonly batchId: BatchId;
  readonly jobIndex: number;
  readonly idx: number;
}

/** Port to patch-batches' encoded blocks: written once each, the same bytes when written again. */
export interface BlockStore extends BlockSource {
  write(
    batchId: BatchId,
    jobIndex: number,
    idx: number,
    block: { readonly bytes: Uint8Array; readonly index: BlockIndex },
  ): Promise<void>;
  /** Copies a block and its index by the store's own means; false when it is not there any more. */
  copy(from: BlockId, to: BlockId): Promise<boolean>;
  readIndex(batchId: BatchId, jobIndex: number, idx: number): Promise<BlockIndex>;
  /** The name under which {@link BlockSource.read} and server-side copies know the block. */
  ref(batchId: BatchId, jobIndex: number, idx: number): string;
}
