import type { BlockStore } from '../../../../lambdas/domain/patch-batch/block-store.ts';
import { parseBlockIndex, placesOf } from '../../../../lambdas/raster/cog/block-index.ts';

/** Rewrites a block of a batch's first job in the format of version 1.0.0, without sums. */
export async function asVersion100Wrote(
  blocks: BlockStore,
  batchId: string,
  idx: number,
): Promise<void> {
  const { sums: _, ...current } = await blocks.readIndex(batchId, 0, idx);
  const index = parseBlockIndex({ ...current, format: 'soil-block/2' });
  const bytes = new Uint8Array(placesOf(index).nodesOffset);
  await blocks.read(blocks.ref(batchId, 0, idx), 0, bytes);
  await blocks.write(batchId, 0, idx, { bytes, index });
}
