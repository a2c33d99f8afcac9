import { isFinal } from 'soil-batch-client';
import type { DisplayRanges, Session } from './session.ts';

export async function readDisplayRanges(
  { client, displayRanges }: Session,
  batchId: string,
  signal: AbortSignal,
): Promise<DisplayRanges> {
  if (displayRanges.has(batchId)) return displayRanges.get(batchId);
  const batch = await client.batch(batchId).status({ jobs: 'none', signal });
  if (isFinal(batch)) displayRanges.set(batchId, batch.display_ranges);
  return batch.display_ranges;
}

/**
 * The values of the first and the last colour for a model's results; null if the batch has no range for the
 * model.
 */
export function findDisplayRange(
  ranges: DisplayRanges,
  model: string | null,
): readonly [low: number, high: number] | null {
  const found = ranges?.find((range) => range.model === model);
  return found === undefined ? null : [found.minimum, found.maximum];
}
