import type { Overlap } from '#engine/geometry/overlap.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { jobIdOf } from '../../domain/identity.ts';
import { roundArea, roundValue, SUMMARY_METHOD } from '../../domain/job/job-summary.ts';
import { computeStock } from '../../domain/job/stock.ts';
import {
  type CompletedJob,
  groupBy,
  isWorthMentioning,
  type JobsTotal,
  type MissingInterval,
  type ModelTotal,
  sumOf,
} from '../../domain/total/model-totals.ts';
import type { BatchesTotal, LeftOutJob } from '../../domain/total/read-total.ts';
import { LEFT_OUT_IDS, LISTED_OVERLAPS, type TotalResponse } from './total-response.ts';

type TotalView = TotalResponse['totals'][number];
type StratumView = TotalView['strata'][number];

export function totalView(read: BatchesTotal, catalogue: PackCatalogue): TotalResponse {
  const { batches, finished, totals, leftOut, excludedJobs } = read;
  const included = totals.reduce((sum, { jobs }) => sum + jobs.length, 0);
  return {
    batch_ids: batches.map(({ batch_id: batchId }) => batchId),
    finished,
    total_jobs: included + leftOut.length,
    included_jobs: included,
    excluded_jobs: excludedJobs,
    totals: totals.map((total) =>
      modelTotalView(total, catalogue.findMap(total.model.id, undefined)?.manifest ?? null),
    ),
    left_out: leftOutView(leftOut),
  };
}

function modelTotalView(total: ModelTotal, manifest: Manifest | null): TotalView {
  const { model, jobs, overlaps, strata } = total;
  return {
    model: model.id,
    temporal: model.temporal,
    data_period: [...model.data_period],
    years: [...new Set(jobs.map(({ year }) => year))].sort((a, b) => a - b),
    property: manifest?.property.name ?? null,
    depth_cm: manifest?.property.depth_cm ?? null,
    ...figuresView(total, model.id, manifest),
    job_warnings: jobWarningsView(jobs),
    overlap_ha: overlaps === null ? null : roundArea(sumOf(overlaps)),
    overlaps: selectLargest(overlaps ?? []).map(({ pair, hectares }) => ({
      job_ids: pair.flatMap((index) => jobs[index]?.jobId ?? []),
      overlap_ha: roundArea(hectares),
    })),
    warnings: overlapWarnings(overlaps ?? [], jobs),
    strata: strata.map((stratum) => ({
      value: stratum.value,
      ...figuresView(stratum, model.id, manifest),
    })),
  };
}

function figuresView(
  { jobs, total, missing }: JobsTotal,
  model: string,
  manifest: Manifest | null,
): Omit<StratumView, 'value'> {
  const { mean, interval } = total;
  const stocks =
    manifest === null
      ? null
      : computeStock(manifest, { mean, interval, hectares: total.predictedHectares });
  const orNull = (value: number | undefined): number | null =>
    value === undefined ? null : roundValue(value);
  return {
    jobs: jobs.length,
    area_ha: roundArea(total.hectares),
    predicted_area_ha: roundArea(total.predictedHectares),
    unpredicted_area_ha: roundArea(total.hectares - total.predictedHectares),
    mean: roundValue(mean),
    lower: orNull(interval?.lower),
    upper: orNull(interval?.upper),
    standard_error: orNull(interval?.standardError),
    unit: jobs[0]?.summary.unit ?? '',
    level: interval?.level ?? null,
    method: interval === null ? null : SUMMARY_METHOD,
    stock: stocks?.stock ?? null,
    stock_standard_error: stocks?.standardError ?? null,
    stock_per_ha: stocks?.perHectare ?? null,
    interval_missing: missing === null ? null : missingView(missing, model),
  };
}

function jobWarningsView(jobs: readonly CompletedJob[]): TotalView['job_warnings'] {
  const warned = jobs.flatMap(({ warnings, summary }) =>
    warnings.map((code) => ({ code, area: summary.area_ha })),
  );
  return groupBy(warned, ({ code }) => code).flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const area = same.reduce((sum, job) => sum + job.area, 0);
    return { code: first.code, jobs: same.length, area_ha: roundArea(area) };
  });
}

function selectLargest(overlaps: readonly Overlap[]): readonly Overlap[] {
  return [...overlaps].sort((a, b) => b.hectares - a.hectares).slice(0, LISTED_OVERLAPS);
}

/** The most pairs that a message names. */
const NAMED_PAIRS = 3;

function overlapWarnings(
  overlaps: readonly Overlap[],
  jobs: readonly CompletedJob[],
): TotalView['warnings'] {
  if (!isWorthMentioning(overlaps, jobs)) return [];
  const nameOf = (index: number): string =>
    JSON.stringify(jobs[index]?.name ?? jobs[index]?.jobId ?? '');
  const pairs = selectLargest(overlaps)
    .slice(0, NAMED_PAIRS)
    .map(
      ({ pair, hectares }) => `${pair.map(nameOf).join(' and ')} by ${formatHectares(hectares)}`,
    );
  const others = overlaps.length - pairs.length;
  const total = others === 0 ? '' : `, in total by ${formatHectares(sumOf(overlaps))}`;
  const more = others === 0 ? '' : `; and ${others} more`;
  const message = `Fields overlap${total}: ${pairs.join('; ')}${more}. Area and stock count the shared ground once for each field.`;
  return [{ code: 'overlapping_fields', message }];
}

function formatHectares(hectares: number): string {
  return hectares < 0.001 ? 'less than 0.001 ha' : `${Number(hectares.toPrecision(3))} ha`;
}

function missingView(
  missing: MissingInterval,
  model: string,
): NonNullable<TotalView['interval_missing']> {
  switch (missing.kind) {
    case 'no-correlation':
      return {
        code: 'no_correlation',
        message: `${model} does not declare how its prediction errors correlate, or the errors of a job are too large to add up.`,
      };
    case 'unfinished':
      return {
        code: 'batch_unfinished',
        message:
          'A batch is not finished. The interval needs the jobs’ prediction errors, which are joined when the batch finishes.',
      };
    case 'too-many':
      return {
        code: 'too_many_fields',
        message:
          'The prediction errors of so many jobs take too long to add up. Request fewer batches, or exclude jobs, such as overlapping ones.',
      };
  }
}

const REASONS = { failed: 'failed', unfinished: 'unfinished', 'no-mean': 'no_mean' } as const;

function leftOutView(leftOut: readonly LeftOutJob[]): TotalResponse['left_out'] {
  return groupBy(leftOut, ({ reason, code }) => `${reason} ${code}`).flatMap((jobs) => {
    const [first] = jobs;
    if (first === undefined) return [];
    return {
      reason: REASONS[first.reason],
      error_code: first.code,
      jobs: jobs.length,
      area_ha: sumAreas(jobs),
      job_ids: jobs.slice(0, LEFT_OUT_IDS).map(({ batchId, index }) => jobIdOf(batchId, index)),
    };
  });
}

function sumAreas(jobs: readonly LeftOutJob[]): number | null {
  const areas = jobs.flatMap(({ hectares }) => hectares ?? []);
  if (areas.length < jobs.length) return null;
  return roundArea(areas.reduce((sum, hectares) => sum + hectares, 0));
}
