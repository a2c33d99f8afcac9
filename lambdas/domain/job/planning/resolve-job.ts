import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { inHectares } from '../../admission/quota.ts';
import { LIMITS } from '../../limits.ts';
import type { JobError } from '../job.ts';
import type { JobGeometry } from '../requested-job.ts';
import { chooseModel, type ModelChoice } from './choose-model.ts';
import { antimeridianHint } from './coverage.ts';
import { chargeOfRings, type MeasuredArea, measureArea, NO_AREA } from './measured-area.ts';

export interface JobSpec {
  readonly geometry: JobGeometry;
  readonly year: number;
  /** The model requested by the job or, if it names none, by its batch. */
  readonly model: string | null;
  /** The tenant's limit on the charge of one job, in hectares; for a stored batch, the limit at its creation. */
  readonly hectaresPerJob: number;
  /** The area that was measured when the job was created. If absent, it is measured now. */
  readonly area?: MeasuredArea;
}

export type ResolvedJob =
  | {
      readonly kind: 'resolved';
      readonly polygon: MultiPolygonRings;
      readonly area: MeasuredArea;
      readonly choice: Extract<ModelChoice, { kind: 'chosen' }>;
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/** Measures the polygon, unless its area is given, and chooses the model, or returns the error for the sender. */
export function resolveJob(catalogue: PackCatalogue, spec: JobSpec): ResolvedJob {
  if (spec.geometry.kind === 'invalid') return { kind: 'refused', error: spec.geometry.error };
  const { polygon } = spec.geometry;
  const area = spec.area ?? measureArea(polygon);
  if (inHectares(area.chargedSquareMetres) > spec.hectaresPerJob) {
    return { kind: 'refused', error: areaOverLimitError(polygon, area, spec.hectaresPerJob) };
  }
  const choice = chooseModel(catalogue, spec.model, polygon, spec.year);
  if (choice.kind === 'refused') return choice;
  return { kind: 'resolved', polygon, area, choice };
}

/** Returns zeros if {@link resolveJob} rejects the job. */
export function measureJobArea(catalogue: PackCatalogue, requested: JobSpec): MeasuredArea {
  return areaOfResolved(resolveJob(catalogue, requested));
}

export function areaOfResolved(resolved: ResolvedJob): MeasuredArea {
  return resolved.kind === 'resolved' ? resolved.area : NO_AREA;
}

function areaOverLimitError(
  polygon: MultiPolygonRings,
  area: MeasuredArea,
  limit: number,
): JobError {
  const ground = inHectares(area.squareMetres);
  const charged = inHectares(area.chargedSquareMetres).toFixed(1);
  const message =
    ground > limit
      ? `The polygon covers ${ground.toFixed(1)} ha; a job may cover at most ${limit} ha. Split it into several jobs.`
      : `The polygon is charged as ${charged} ha, ${describeCharge(polygon, area)}, although it covers ${ground.toFixed(1)} ha; a job may be charged at most ${limit} ha. Simplify its outline, or split it into several jobs.`;
  return {
    code: 'area_over_limit',
    message: message + antimeridianHint(polygon),
    location: null,
  };
}

function describeCharge(polygon: MultiPolygonRings, { chargedSquareMetres }: MeasuredArea): string {
  return chargedSquareMetres === chargeOfRings(polygon)
    ? `${LIMITS.chargedSquareMetresPerRing} m² for each of its ${polygon.flat().length} rings`
    : `its perimeter × ${LIMITS.chargedWidthMetres} m`;
}
