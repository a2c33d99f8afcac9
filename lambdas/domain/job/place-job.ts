import { parseJobPolygon } from '../../geometry/parse.ts';
import type { MultiPolygonRings } from '../../geometry/polygon.ts';
import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { inHectares } from '../admission/quota.ts';
import { LIMITS } from '../limits.ts';
import { chooseModel, type ModelChoice } from './choose-model.ts';
import type { JobError } from './job.ts';
import { type MeasuredArea, measureArea } from './measured-area.ts';
import { antimeridianHint } from './position-hints.ts';

/** What is asked of a model: where and when, and how much of it at once. */
export interface AreaOrder {
  /** GeoJSON as sent, unchecked. */
  readonly polygon: unknown;
  readonly year: number;
  /** Asked for by the job or, without one, by its batch. */
  readonly model: string | null;
  /** The tenant's limit on the charge, as it was when the batch was made. */
  readonly hectaresPerJob: number;
}

export type PlacedJob =
  | {
      readonly kind: 'placed';
      readonly polygon: MultiPolygonRings;
      readonly area: MeasuredArea;
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
  const area = measureArea(polygon);
  if (inHectares(area.chargedSquareMetres) > order.hectaresPerJob) {
    return { kind: 'refused', error: areaOverLimit(polygon, area, order.hectaresPerJob) };
  }
  const choice = chooseModel(catalogue, order.model, polygon, order.year);
  if (choice.kind === 'refused') return choice;
  return { kind: 'placed', polygon, area, asked: order.model, choice };
}

function areaOverLimit(polygon: MultiPolygonRings, area: MeasuredArea, limit: number): JobError {
  const ground = inHectares(area.squareMetres);
  const message =
    ground > limit
      ? `The polygon covers ${ground.toFixed(1)} ha; a job may cover ${limit} ha at most. Split it into several jobs.`
      : `The polygon counts as ${inHectares(area.chargedSquareMetres).toFixed(1)} ha, its perimeter × ${LIMITS.chargedWidthMetres} m, although it covers ${ground.toFixed(1)} ha; a job may count as ${limit} ha at most. Simplify its outline, or split it into several jobs.`;
  return {
    code: 'area_over_limit',
    message: message + antimeridianHint(polygon),
    location: null,
  };
}
