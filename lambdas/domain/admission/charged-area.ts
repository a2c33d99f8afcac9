import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { type MeasuredArea, NO_AREA } from '../job/measured-area.ts';
import { type AreaOrder, type PlacedJob, placeJob } from '../job/place-job.ts';

/** The area and the charge of a job; zero if the job would be rejected. */
export function areaOf(catalogue: PackCatalogue, order: AreaOrder): MeasuredArea {
  return areaOfPlaced(placeJob(catalogue, order));
}

export function areaOfPlaced(placed: PlacedJob): MeasuredArea {
  return placed.kind === 'placed' ? placed.area : NO_AREA;
}
