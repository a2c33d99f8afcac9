import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { ellipsoidalHectares } from '../../raster/geometry/area.ts';
import { parseJobPolygon } from '../../raster/geometry/parse.ts';
import type { MultiPolygonRings } from '../../raster/geometry/polygon.ts';
import { chooseModel, type ModelChoice } from './choose-model.ts';
import type { JobError } from './job.ts';
import { antimeridianHint } from './misplaced.ts';

/** What is asked of a model: where and when, and how much of it at once. */
export interface AreaOrder {
  /** GeoJSON as sent, unchecked. */
  readonly polygon: unknown;
  readonly year: number;
  /** Asked for by the job or, without one, by its batch. */
  readonly model: string | null;
  /** The tenant's limit, as it was when the batch was made. */
  readonly hectaresPerJob: number;
}

export type PlacedJob =
  | {
      readonly kind: 'placed';
      readonly polygon: MultiPolygonRings;
      /** Ground area. */
      readonly hectares: number;
      readonly asked: string | null;
      readonly choice: Extract<ModelChoice, { kind: 'chosen' }>;
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/** The job's polygon, its area and its model, or what its sender can mend; before any cell is planned. */
export function placeJob(catalogue: PackCatalogue, order: AreaOrder): PlacedJob {
  const parsed = parseJobPolygon(order.polygon);
  if (parsed.kind === 'problem') {
    const { code, message, location } = parsed;
    return { kind: 'refused', error: { code, message, location } };
  }
  const { polygon } = parsed;
  const hectares = ellipsoidalHectares(polygon);
  if (hectares > order.hectaresPerJob) {
    return { kind: 'refused', error: areaOverLimit(polygon, hectares, order.hectaresPerJob) };
  }
  const choice = chooseModel(catalogue, order.model, polygon, order.year);
  if (choice.kind === 'refused') return choice;
  return { kind: 'placed', polygon, hectares, asked: order.model, choice };
}

function areaOverLimit(polygon: MultiPolygonRings, hectares: number, limit: number): JobError {
  return {
    code: 'area_over_limit',
    message: `The polygon covers ${hectares.toFixed(1)} ha; a job may cover ${limit} ha at most. Split it into several jobs.${antimeridianHint(polygon)}`,
    location: null,
  };
}
