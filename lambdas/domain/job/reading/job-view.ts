import type { JsonObject } from '#engine/json/json-object.ts';
import { parseDensityUnit } from '#engine/model/pack/property.ts';
import {
  TOLERATED_INAPPLICABLE_SHARE,
  TOLERATED_OUTSIDE_SHARE,
} from '#engine/model/trained-values.ts';
import type { Batch } from '../../batch/batch.ts';
import { jobIdOf } from '../../identity.ts';
import type { ViewOf } from '../../wire.ts';
import { RASTER_MEDIA_TYPE } from '../finishing/rasters.ts';
import { type CompletedRecord, isRetryable, type JobRecord, type JobWarning } from '../job.ts';
import { entryAt, type JobRequests } from '../job-requests.ts';
import type { JobHead, RequestedJob } from '../requested-job.ts';
import { downloadNames } from './download-names.ts';
import type { jobSchema } from './job-schema.ts';
import { type ResultSigner, type SignedUrl, signResultUrl } from './result-signer.ts';

/** A job in the webhook, and in the batch status and the job status without its links. */
export type JobView = ViewOf<typeof jobSchema>;

/**
 * @param record null while the job is `pending`
 * @param url the result's signed URL; null unless the job is `completed`, and where no URL is shown
 */
export function jobView(
  batch: Batch,
  index: number,
  entry: JobHead,
  record: JobRecord | null,
  url: SignedUrl | null,
): JobView {
  const error = record?.status === 'failed' ? record.error : null;
  const completed = record?.status === 'completed' ? record : null;
  return {
    job_id: jobIdOf(batch.batch_id, index),
    job_index: index,
    ...(entry.retryOf === undefined
      ? {}
      : { retry_of_job_id: jobIdOf(entry.retryOf.batchId, entry.retryOf.index) }),
    name: entry.name,
    year: entry.year,
    status: record?.status ?? 'pending',
    model: record?.model?.id ?? null,
    temporal: record?.model?.temporal ?? null,
    data_period: record?.model?.data_period ?? null,
    signed_cog_url: url?.url ?? null,
    signed_cog_url_created_at: url?.createdAt ?? null,
    signed_url_expires_at: url?.expiresAt ?? null,
    result: completed === null ? null : resultView(completed),
    error_message: error?.message ?? null,
    error_code: error?.code ?? null,
    error_retryable: error === null ? null : isRetryable(error.code),
    error_location: error?.location ?? null,
    point_count: record?.point_count ?? null,
    predicted_point_count: record?.predicted_points ?? null,
    summary: completed?.summary ?? null,
    warnings: record === null ? [] : collectWarnings(record),
    created_at: batch.created_at,
    updated_at: record?.updated_at ?? batch.created_at,
    completed_at: record === null || record.status === 'processing' ? null : record.completed_at,
  };
}

/** A job with what its head does not tell. */
export interface JobDetail {
  readonly job: JobView;
  readonly properties: JsonObject | null;
}

export function jobDetail(
  batch: Batch,
  index: number,
  entry: JobHead,
  record: JobRecord | null,
  requested: Pick<RequestedJob, 'properties' | 'warnings'>,
  url: SignedUrl | null,
): JobDetail {
  const job = jobView(batch, index, entry, record, url);
  // Planning stores the warning with the job.
  const beforePlan = record?.model === undefined ? requested.warnings : [];
  return {
    job: { ...job, warnings: [...job.warnings, ...beforePlan] },
    properties: requested.properties,
  };
}

export interface JobViewsPorts {
  readonly jobRequests: Pick<JobRequests, 'entries'>;
  readonly signer: ResultSigner;
}

/**
 * The jobs at these indexes on the wire, in order.
 * @param records all jobs that are past `pending`; may include others
 * @throws SigningKeyUnavailable if the URL of a completed job cannot be signed now
 */
export async function readJobViews(
  { jobRequests, signer }: JobViewsPorts,
  batch: Batch,
  records: readonly JobRecord[],
  indexes: readonly number[],
): Promise<readonly JobView[]> {
  if (indexes.length === 0) return [];
  const entries = await jobRequests.entries(batch.batch_id);
  const nameOf = downloadNames(batch, entries);
  const byIndex = new Map(records.map((record) => [record.job_index, record]));
  return Promise.all(
    indexes.map(async (index) => {
      const entry = entryAt(entries, batch.batch_id, index);
      const record = byIndex.get(index) ?? null;
      const fileName = nameOf(index, record?.model ?? null);
      const url = await signResultUrl(signer, batch.batch_id, index, record, fileName);
      return jobView(batch, index, entry, record, url);
    }),
  );
}

function resultView({ raster_bytes, raster_etag }: CompletedRecord) {
  return { bytes: raster_bytes, etag: raster_etag, media_type: RASTER_MEDIA_TYPE } as const;
}

/**
 * Some are known only at the end and derived from what is stored, so not stored themselves. None names the model,
 * because the job does: 1,000 jobs with every warning have to fit in a response of Lambda.
 */
export function collectWarnings(record: JobRecord): readonly JobWarning[] {
  if (record.status !== 'completed') return record.warnings ?? [];
  return [
    ...record.warnings,
    ...cellsWithoutData(record),
    ...intervalUnavailable(record),
    ...impossibleValues(record),
    ...meansOutsideBounds(record),
    ...outsideTraining(record),
    ...outsideApplicability(record),
  ];
}

/** The share of the cells with a value that may be impossible; a larger one has a warning. */
export const TOLERATED_SHARE = 0.05;

function impossibleValues({
  summary,
  predicted_points: predicted,
}: CompletedRecord): readonly JobWarning[] {
  const cells = summary?.impossible_point_count ?? 0;
  // A density has a stock, unless its mean cannot be.
  const lacksStock = summary?.stock === null && parseDensityUnit(summary.unit) !== null;
  if (cells === 0 || (cells <= predicted * TOLERATED_SHARE && !lacksStock)) return [];
  const message = `${cells} of ${predicted} cells have a value that the property cannot have, such as a negative density.${lacksStock ? ' So has the polygon, which has no stock.' : ''}`;
  return [{ code: 'impossible_values', message }];
}

function meansOutsideBounds({
  summary,
  predicted_points: predicted,
}: CompletedRecord): readonly JobWarning[] {
  const cells = summary?.outside_bounds_point_count ?? 0;
  if (cells <= predicted * TOLERATED_SHARE) return [];
  const message = `In ${cells} of ${predicted} cells the mean lies outside its bounds: the polygon's interval is too narrow.`;
  return [{ code: 'means_outside_bounds', message }];
}

function outsideTraining({ summary }: CompletedRecord): readonly JobWarning[] {
  const share = summary?.outside_share ?? 0;
  if (share <= TOLERATED_OUTSIDE_SHARE) return [];
  const message = `In ${shareText(share)} of the cells a covariate lies outside the training: errors may exceed the bounds there.`;
  return [{ code: 'outside_training', message }];
}

function outsideApplicability({ summary }: CompletedRecord): readonly JobWarning[] {
  const share = summary?.outside_applicability_share ?? 0;
  if (share <= TOLERATED_INAPPLICABLE_SHARE) return [];
  const message = `${shareText(share)} of the cells lie outside the area of applicability: accuracy and bounds need not hold there.`;
  return [{ code: 'outside_applicability', message }];
}

function intervalUnavailable({ summary }: CompletedRecord): readonly JobWarning[] {
  if (summary === undefined || summary.lower !== null) return [];
  const message =
    'The model declares no correlation of its errors, or errors too large to add up, so the mean of the polygon has no interval.';
  return [{ code: 'interval_unavailable', message }];
}

/** `17 %`; a small share does not round to 0. */
function shareText(share: number): string {
  return share < 0.01 ? 'less than 1 %' : `${(100 * share).toFixed(0)} %`;
}

function cellsWithoutData({
  point_count: cells,
  predicted_points: predicted,
}: CompletedRecord): readonly JobWarning[] {
  const missing = cells - predicted;
  if (missing <= 0) return [];
  return [
    {
      code: 'cells_without_data',
      message: `${missing} of ${cells} cells (${shareText(missing / cells)}) have no value, because a covariate is missing there.`,
    },
  ];
}
