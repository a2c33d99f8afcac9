import * as z from 'zod/mini';
import { toGeoJsonGeometry } from '#engine/geometry/geojson.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { ResultRow } from '../../domain/batch/read-results.ts';
import type { Timestamp } from '../../domain/clock.ts';
import { rounded } from '../../domain/job/job-summary.ts';
import { describeModel } from '../../domain/job/reading/model-description.ts';
import { csvRow } from './csv-row.ts';
import { type ResultRowView, resultRow } from './result-table.ts';

/** @param resultUrl the stable link to a job's result */
export function resultRowView(
  { job, result, model }: ResultRow,
  catalogue: PackCatalogue,
  expireAt: Timestamp,
  resultUrl: (jobId: string) => string,
): ResultRowView {
  const { summary, warnings, data_period } = job;
  const stock = summary?.stock ?? null;
  const described = model === null ? null : describeModel(catalogue, model);
  const perHectare = (tonnes: number | null | undefined): number | null =>
    summary === null || typeof tonnes !== 'number'
      ? null
      : rounded(tonnes / summary.predicted_area_ha);
  return {
    job_index: job.job_index,
    job_id: job.job_id,
    name: job.name,
    year: job.year,
    status: job.status,
    error_code: job.error_code,
    error_message: job.error_message,
    error_retryable: job.error_retryable,
    warning_codes: joined(warnings.map(({ code }) => code)),
    warning_messages: joined(warnings.map(({ message }) => message)),
    model: job.model,
    model_sha256: described?.model_sha256 ?? null,
    property: described?.property ?? null,
    depth_top_cm: described?.depth_cm?.[0] ?? null,
    depth_bottom_cm: described?.depth_cm?.[1] ?? null,
    sample_support: described?.sample_support ?? null,
    data_period_start: data_period?.[0] ?? null,
    data_period_end: data_period?.[1] ?? null,
    area_ha: summary?.area_ha ?? null,
    predicted_area_ha: summary?.predicted_area_ha ?? null,
    mean: summary?.mean ?? null,
    lower: summary?.lower ?? null,
    upper: summary?.upper ?? null,
    standard_error: summary?.standard_error ?? null,
    unit: summary?.unit ?? null,
    level: summary?.level ?? null,
    method: summary?.method ?? null,
    stock_t: stock?.value ?? null,
    stock_lower_t: stock?.lower ?? null,
    stock_upper_t: stock?.upper ?? null,
    stock_t_per_ha: perHectare(stock?.value),
    stock_lower_t_per_ha: perHectare(stock?.lower),
    stock_upper_t_per_ha: perHectare(stock?.upper),
    stock_substance: stock?.substance ?? null,
    cell_min: summary?.cell_min ?? null,
    cell_max: summary?.cell_max ?? null,
    cell_sd: summary?.cell_sd ?? null,
    outside_share: summary?.outside_share ?? null,
    outside_applicability_share: summary?.outside_applicability_share ?? null,
    completed_at: job.completed_at,
    result_url: result === null ? null : resultUrl(job.job_id),
    results_expire_at: expireAt,
  };
}

function joined(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(' ');
}

const COLUMNS = z.keyof(resultRow).options;

export const CSV_HEADER = csvRow([...COLUMNS, 'properties']);

/**
 * `properties` are one column of JSON text: as columns of their own they would change from page to page,
 * could be named like ours, and a thousand jobs may have more keys than a spreadsheet has columns.
 */
export function formatCsvRow({ properties }: ResultRow, row: ResultRowView): string {
  const text = properties === null ? null : JSON.stringify(properties);
  return csvRow([...COLUMNS.map((name) => row[name]), text]);
}

/** A GeoJSON Feature (RFC 7946, section 3.2). */
export function formatFeature(
  { job, requested, properties }: ResultRow,
  row: ResultRowView,
): string {
  const { polygon } = requested.geometry;
  return JSON.stringify({
    type: 'Feature',
    id: job.job_id,
    geometry: polygon === null ? null : toGeoJsonGeometry(polygon),
    properties: { ...row, properties },
  });
}
