import type { PlannedBlock } from '#engine/raster/grid/plan.ts';

/** A state transition costs $0.000025, about as much as a second of 1,769 MB on x86, at $0.0000288. */
const SHARE_SECONDS = 1;

/**
 * Divides patch-batches among invocations. Each share consists of consecutive patch-batches whose prediction takes at
 * most `SHARE_SECONDS` in total, or of a single patch-batch that takes longer.
 */
export function divideIntoShares(
  blocks: readonly Pick<PlannedBlock, 'idx' | 'pointCount'>[],
  pointsPerSecond: number,
): readonly (readonly number[])[] {
  const shares: number[][] = [];
  let room = 0;
  for (const { idx, pointCount } of blocks) {
    const share = shares.at(-1);
    if (share === undefined || pointCount > room) {
      shares.push([idx]);
      room = SHARE_SECONDS * pointsPerSecond;
    } else {
      share.push(idx);
    }
    room -= pointCount;
  }
  return shares;
}
