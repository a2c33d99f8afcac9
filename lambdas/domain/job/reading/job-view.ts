import type { JsonObject } from '#engine/json/json-object.ts';
import { parseDensityUnit } from '#engine/model/pack/property.ts';
import {
  TOLERATED_INAPPLICABLE_SHARE,
  TOLERATED_OUTSIDE_SHARE,
} from '#engine/model/trained-values.ts';
import type { Batch } from '../../batch/batch.ts';
import {
  type CopyViews,
  type CopyViewsPorts,
  readCopyViews,
} from '../../destination/copy-status.ts';
import { jobIdOf } from '../../identity.ts';
import type { ViewOf } from '../../wire.ts';
import { RASTER_MEDIA_TYPE } from '../finishing/rasters.ts';
import { type CompletedRecord, isRetryable, type JobRecord, type JobWarning } from '../job.ts';
import { entryAt, type JobRequests } from '../job-requests.ts';
import type { JobHead, RequestedJob } from '../requested-job.ts';
import { downloadNames } from './download-names.ts';
import type { jobSchema } from './job-schema.ts';
import { type ResultSigner, type SignedUrl, signResultUrl } from './result-signer.ts';

export type JobView = ViewOf<typeof jobSchema>;

/**
 * @param record null while the job is `pending`
 * @param url the result's signed URL; null if the job is not `completed` or no URL is shown
 */
export function jobView(
  batch: Batch,
  index: number,
  entry: JobHead,
  record: JobRecord | null,
  url: SignedUrl | null,
  viewCopy: CopyViews['viewJob'],
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
    ...viewCopy(index, record?.status ?? 'pending'),
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

/** `job.warnings` includes the warnings about the request. */
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
  viewCopy: CopyViews['viewJob'],
): JobDetail {
  const job = jobView(batch, index, entry, record, url, viewCopy);
  // Planning stores these warnings with the job.
  const beforePlan = record?.model === undefined ? requested.warnings : [];
  return {
    job: { ...job, warnings: [...job.warnings, ...beforePlan] },
    properties: requested.properties,
  };
}

export interface JobViewsPorts extends CopyViewsPorts {
  readonly jobRequests: Pick<JobRequests, 'entries'>;
  readonly signer: ResultSigner;
}

/**
 * Reads the jobs at these indexes as views, in order.
 * @param records all records of these jobs; may include others
 * @throws SigningKeyUnavailable if the URL of a completed job cannot be signed now
 */
export async function readJobViews(
  ports: JobViewsPorts,
  batch: Batch,
  records: readonly JobRecord[],
  indexes: readonly number[],
): Promise<readonly JobView[]> {
  if (indexes.length === 0) return [];
  const { jobRequests, signer } = ports;
  const [entries, { viewJob }] = await Promise.all([
    jobRequests.entries(batch.batch_id),
    readCopyViews(ports, batch),
  ]);
  const nameOf = downloadNames(batch, entries);
  const byIndex = new Map(records.map((record) => [record.job_index, record]));
  return Promise.all(
    indexes.map(async (index) => {
      const entry = entryAt(entries, batch.batch_id, index);
      const record = byIndex.get(index) ?? null;
      const fileName = nameOf(index, record?.model ?? null);
      const url = await signResultUrl(signer, batch.batch_id, index, record, fileName);
      return jobView(batch, index, entry, record, url, viewJob);
    }),
  );
}

function resultView({ raster_bytes, raster_etag }: CompletedRecord) {
  return { bytes: raster_bytes, etag: raster_etag, media_type: RASTER_MEDIA_TYPE } as const;
}

/**
 * Warnings that are known only at the end are derived from stored values. No warning names the model, because the job
 * already names it, and 1,000 jobs with every warning must fit into one Lambda response.
 */
export function collectWarnings(record: JobRecord): readonly JobWarning[] {
  if (record.status !== 'completed') return record.warnings ?? [];
  return [
    ...record.warnings,
    ...warnOfCellsWithoutData(record),
    ...warnOfMissingInterval(record),
    ...warnOfImpossibleValues(record),
    ...warnOfMeansOutsideBounds(record),
    ...warnOfUntrainedCells(record),
    ...warnOfInapplicableCells(record),
  ];
}

/**
 * The share of the predicted cells that may have an impossible value, or a mean outside its bounds, without a warning.
 */
export const TOLERATED_SHARE = 0.05;

function warnOfImpossibleValues({
  summary,
  predicted_points: predicted,
}: CompletedRecord): readonly JobWarning[] {
  const cells = summary?.impossible_point_count ?? 0;
  // A density has a stock, unless its mean is impossible: then one cell with an impossible value is enough to warn.
  const lacksStock = summary?.stock === null && parseDensityUnit(summary.unit) !== null;
  if (cells === 0 || (cells <= predicted * TOLERATED_SHARE && !lacksStock)) return [];
  const message = `In ${cells} of ${predicted} cells the value is impossible for the property, such as a negative density.${lacksStock ? " The polygon's mean is impossible too, so the job has no stock." : ''}`;
  return [{ code: 'impossible_values', message }];
}

function warnOfMeansOutsideBounds({
  summary,
  predicted_points: predicted,
}: CompletedRecord): readonly JobWarning[] {
  const cells = summary?.outside_bounds_point_count ?? 0;
  if (cells <= predicted * TOLERATED_SHARE) return [];
  const message = `In ${cells} of ${predicted} cells the mean lies outside its bounds, so the polygon's interval is too narrow.`;
  return [{ code: 'means_outside_bounds', message }];
}

function warnOfUntrainedCells({ summary }: CompletedRecord): readonly JobWarning[] {
  const share = summary?.outside_share ?? 0;
  if (share <= TOLERATED_OUTSIDE_SHARE) return [];
  const message = `In ${formatShare(share)} of the cells a covariate lies outside the range of the training data; prediction errors may exceed the bounds there.`;
  return [{ code: 'outside_training', message }];
}

function warnOfInapplicableCells({ summary }: CompletedRecord): readonly JobWarning[] {
  const share = summary?.outside_applicability_share ?? 0;
  if (share <= TOLERATED_INAPPLICABLE_SHARE) return [];
  const message = `${formatShare(share)} of the cells lie outside the area of applicability; the stated accuracy and bounds may not hold there.`;
  return [{ code: 'outside_applicability', message }];
}

function warnOfMissingInterval({ summary }: CompletedRecord): readonly JobWarning[] {
  if (summary === undefined || summary.lower !== null) return [];
  const message =
    'The mean of the polygon has no interval, because the model does not declare how its prediction errors correlate, or because these errors are too large to add up.';
  return [{ code: 'interval_unavailable', message }];
}

/** A small share does not become 0. */
function formatShare(share: number): string {
  return share < 0.01 ? 'less than 1 %' : `${(100 * share).toFixed(0)} %`;
}

function warnOfCellsWithoutData({
  point_count: cells,
  predicted_points: predicted,
}: CompletedRecord): readonly JobWarning[] {
  const missing = cells - predicted;
  if (missing <= 0) return [];
  return [
    {
      code: 'cells_without_data',
      message: `In ${missing} of ${cells} cells (${formatShare(missing / cells)}) a covariate is missing, so the raster has no value there.`,
    },
  ];
}
