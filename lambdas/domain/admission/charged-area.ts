import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { type AreaOrder, type PlacedJob, placeJob } from '../job/place-job.ts';

/**
 * What a job counts against its tenant's quota: its ground area in whole square metres, or nothing
 * when planning would refuse it.
 */
export function chargedSquareMetres(catalogue: PackCatalogue, order: AreaOrder): number {
  return chargeOf(placeJob(catalogue, order));
}

export function chargeOf(placed: PlacedJob): number {
  return placed.kind === 'placed' ? Math.round(placed.hectares * 10_000) : 0;
}
