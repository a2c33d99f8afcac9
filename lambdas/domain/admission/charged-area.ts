import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { type MeasuredArea, NO_AREA } from '../job/planning/measured-area.ts';
import { type JobSpec, type ResolvedJob, resolveJob } from '../job/planning/resolve-job.ts';

/** The area and the charge of a job; zero if the job would be rejected. */
export function areaOf(catalogue: PackCatalogue, requested: JobSpec): MeasuredArea {
  return areaOfResolved(resolveJob(catalogue, requested));
}

export function areaOfResolved(resolved: ResolvedJob): MeasuredArea {
  return resolved.kind === 'resolved' ? resolved.area : NO_AREA;
}
