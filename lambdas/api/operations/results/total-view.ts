import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { jobIdOf } from '../../../domain/identity.ts';
import { rounded, roundedArea, SUMMARY_METHOD } from '../../../domain/job/job-summary.ts';
import { stockOf } from '../../../domain/job/stock.ts';
import {
  type BatchesTotal,
  groupedBy,
  type LeftOut,
  type MissingInterval,
  type ModelTotal,
} from '../../../domain/total/read-total.ts';
import { LEFT_OUT_IDS, type TotalResponse } from '../../definitions/total-response.ts';

type TotalView = TotalResponse['totals'][number];

export function totalView(read: BatchesTotal, catalogue: PackCatalogue): TotalResponse {
  const { batches, finished, totals, leftOut } = read;
  const included = totals.reduce((sum, { jobs }) => sum + jobs.length, 0);
  return {
    batch_ids: batches.map(({ batchId }) => batchId),
    finished,
    total_jobs: included + leftOut.length,
    included_jobs: included,
    totals: totals.map((total) =>
      modelTotalView(total, catalogue.map(total.model.id, undefined)?.manifest ?? null),
    ),
    left_out: leftOutView(leftOut),
  };
}

function modelTotalView(
  { model, jobs, total, unit, overlapHectares: overlap, missing }: ModelTotal,
  manifest: Manifest | null,
): TotalView {
  const { mean, interval } = total;
  const stocks =
    manifest === null
      ? null
      : stockOf(manifest, { mean, interval, hectares: total.predictedHectares });
  const orNull = (value: number | undefined): number | null =>
    value === undefined ? null : rounded(value);
  return {
    model: model.id,
    temporal: model.temporal,
    data_period: [...model.dataPeriod],
    property: manifest?.property.name ?? null,
    depth_cm: manifest?.property.depth_cm ?? null,
    jobs: jobs.length,
    area_ha: roundedArea(total.hectares),
    predicted_area_ha: roundedArea(total.predictedHectares),
    mean: rounded(mean),
    lower: orNull(interval?.lower),
    upper: orNull(interval?.upper),
    standard_error: orNull(interval?.standardError),
    unit,
    level: interval?.level ?? null,
    method: interval === null ? null : SUMMARY_METHOD,
    stock: stocks?.stock ?? null,
    stock_per_ha: stocks?.perHectare ?? null,
    interval_missing: missing === null ? null : missingView(missing, model.id),
    overlap_ha: overlap === null ? null : roundedArea(overlap),
    warnings: overlapWarnings(overlap, total.hectares),
  };
}

/** Of the area; borders drawn twice by hand overlap by less. */
const TOLERATED_OVERLAP = 0.001;

function overlapWarnings(overlap: number | null, hectares: number): TotalView['warnings'] {
  if (overlap === null || overlap <= hectares * TOLERATED_OVERLAP) return [];
  const message = `Fields overlap by ${rounded(overlap)} ha: it counts twice in area and stock.`;
  return [{ code: 'overlapping_fields', message }];
}

function missingView(
  missing: MissingInterval,
  model: string,
): NonNullable<TotalView['interval_missing']> {
  switch (missing.kind) {
    case 'no-correlation':
      return {
        code: 'no_correlation',
        message: `${model} declares no correlation of its errors.`,
      };
    case 'unfinished':
      return {
        code: 'batch_unfinished',
        message: 'A batch still runs; its errors are joined when it is finished.',
      };
    case 'not-kept':
      return {
        code: 'errors_not_kept',
        message: `An older version of the service completed ${missing.jobs} of the jobs and kept nothing of how their errors correlate with those of others. Send them again for an interval.`,
      };
    case 'too-many':
      return {
        code: 'too_many_fields',
        message: `The jobs have ${missing.nodes} nodes, and a total has at most ${missing.allowed}: ask for fewer batches at once.`,
      };
  }
}

const REASONS = { failed: 'failed', unfinished: 'unfinished', 'no-mean': 'no_mean' } as const;

function leftOutView(leftOut: readonly LeftOut[]): TotalResponse['left_out'] {
  return groupedBy(leftOut, ({ reason, code }) => `${reason} ${code}`).flatMap((jobs) => {
    const [first] = jobs;
    if (first === undefined) return [];
    return {
      reason: REASONS[first.reason],
      error_code: first.code,
      jobs: jobs.length,
      job_ids: jobs.slice(0, LEFT_OUT_IDS).map(({ batchId, index }) => jobIdOf(batchId, index)),
    };
  });
}
