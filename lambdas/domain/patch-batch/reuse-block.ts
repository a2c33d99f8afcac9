import type { JobEntry } from '../job/job-requests.ts';
import type { Plan, PlannedBlock } from './patch-batch.ts';
import type {
  BlockId,
  BlockStore,
  PatchBatchOutcome,
  PatchBatchStore,
} from './patch-batch-store.ts';

export interface ReuseBlockPorts {
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'read'>;
  readonly blocks: Pick<BlockStore, 'copy'>;
}

interface Planned {
  readonly plan: Plan;
  readonly block: PlannedBlock;
  readonly entry: JobEntry;
}

/**
 * Copies the block of the job that this one retries. The polygon is the same text, so the same files of the
 * model and an equal plan give an equal block.
 * @returns the outcome of its prediction; null if there is no block to reuse
 */
export async function reuseBlock(
  { patchBatches, blocks }: ReuseBlockPorts,
  target: BlockId,
  { plan, block, entry }: Planned,
): Promise<PatchBatchOutcome | null> {
  if (entry.retryOf === undefined) return null;
  const { batchId, index: jobIndex } = entry.retryOf;
  const [earlier, record] = await Promise.all([
    patchBatches.readPlan(batchId, jobIndex),
    patchBatches.read(batchId, jobIndex, block.idx),
  ]);
  if (earlier === null || record?.status !== 'completed') return null;
  if (earlier.model !== plan.model || earlier.packSha256 !== plan.packSha256) return null;
  if (!isSameRule(earlier, plan)) return null;
  if (earlier.blockTiles !== plan.blockTiles) return null;
  const earlierBlock = earlier.blocks.find(({ idx }) => idx === block.idx);
  if (earlierBlock === undefined || !isSameBlock(earlierBlock, block)) return null;
  if (!(await blocks.copy({ batchId, jobIndex, idx: block.idx }, target))) return null;
  const { predictedPoints, inferenceDurationMs } = record;
  return { predictedPoints, inferenceDurationMs, isReused: true };
}

function isSameRule(a: Plan, b: Plan): boolean {
  return a.rule === b.rule && a.touchedParts.join() === b.touchedParts.join();
}

function isSameBlock(a: PlannedBlock, b: PlannedBlock): boolean {
  return (
    a.col === b.col &&
    a.row === b.row &&
    a.width === b.width &&
    a.height === b.height &&
    a.pointCount === b.pointCount
  );
}
