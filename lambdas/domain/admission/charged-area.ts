import type { PlacedJob } from '../job/place-job.ts';

/**
 * What a job counts against its tenant's quota: its ground area in whole square metres, or nothing
 * when planning would refuse it.
 */
export function chargeOf(placed: PlacedJob): number {
  return placed.kind === 'placed' ? Math.round(placed.hectares * 10_000) : 0;
}
