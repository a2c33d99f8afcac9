import * as z from 'zod/mini';
import { copyStatus } from '../../destination/copy-status.ts';
import { count, jobId, time, workState } from '../../wire.ts';
import { RASTER_MEDIA_TYPE } from '../finishing/rasters.ts';
import { plannedJob, storedError, storedLocation, storedWarning } from '../job.ts';
import { summarySchema } from '../job-summary.ts';

export const errorLocation = z
  .strictObject(storedLocation.shape)
  .check(
    z.describe(
      'Ring, counted from 0 over all polygons of a MultiPolygon; vertex, counted from 0; position in degrees (WGS 84)',
    ),
  );

export const jobErrorCode = storedError.shape.code;
export const jobWarningCode = storedWarning.shape.code;
export const jobWarning = z.strictObject(storedWarning.shape);

/** Whether a model has one map for all years, or one map per period. */
export const temporality = plannedJob.shape.model.shape.temporal;

export const mapData = {
  temporal: z
    .nullable(temporality)
    .check(z.describe('`static`: the requested year makes no difference')),
  data_period: z
    .nullable(z.array(z.int()).check(z.length(2)))
    .check(z.describe('First and last year of the data behind the map')),
};

export const jobResult = z.strictObject({
  bytes: z.int().check(z.positive(), z.maximum(5 * 1024 ** 4)),
  etag: z.string().check(z.describe('The value of the `ETag` header of the download')),
  media_type: z.string().check(z.describe(`\`${RASTER_MEDIA_TYPE}\``)),
});

export const jobFields = {
  job_id: jobId,
  job_index: count.check(z.describe('Position in the batch, from 0')),
  retry_of_job_id: z
    .optional(jobId)
    .check(z.describe('Only in a retry: the failed job that this one runs again')),
  name: z.nullable(z.string()).check(z.describe('Name as sent, or the ID of the Feature')),
  year: z.int(),
  status: workState,
  model: z.nullable(z.string()).check(z.describe('`id@version`; null until the job is planned')),
  ...mapData,
  signed_cog_url: z
    .nullable(z.url())
    .check(
      z.describe(
        'Download URL of the raster, valid for 24 hours; null unless the job is completed',
      ),
    ),
  signed_cog_url_created_at: z.nullable(time),
  signed_url_expires_at: z
    .nullable(time)
    .check(z.describe('When the URL expires, computed from its signing date and validity')),
  result: z
    .nullable(jobResult)
    .check(z.describe('The file of the raster; null unless the job is completed')),
  destination: z
    .optional(copyStatus)
    .check(z.describe('Copy in your bucket; absent without a destination, and for failed jobs')),
  error_message: z
    .nullable(z.string().check(z.minLength(1)))
    .check(z.describe('Why the job failed, in words')),
  error_code: z.nullable(jobErrorCode),
  error_retryable: z
    .nullable(z.boolean())
    .check(z.describe('Whether the same job may succeed if sent again')),
  error_location: z.nullable(errorLocation),
  point_count: z
    .nullable(count)
    .check(z.describe('Number of cells that belong to the polygon; null until the job is planned')),
  predicted_point_count: z.nullable(count).check(z.describe('Number of cells with a value so far')),
  summary: z
    .nullable(summarySchema)
    .check(
      z.describe(
        'Values for the polygon as a whole; null unless the job is completed and the model predicts a mean',
      ),
    ),
  warnings: z.array(jobWarning),
  created_at: time,
  updated_at: time,
  completed_at: z.nullable(time),
} as const;

interface JobOutcome {
  readonly status: z.infer<typeof workState>;
  readonly signed_cog_url: string | null;
  readonly signed_url_expires_at: string | null;
  readonly error_message: string | null;
  readonly completed_at: string | null;
}

/**
 * A job has a URL if and only if it is completed, an error if and only if it failed, and an end if and only if it is
 * either.
 */
export function isConsistent(job: JobOutcome): boolean {
  const completed = job.status === 'completed';
  const failed = job.status === 'failed';
  return (
    (job.signed_cog_url !== null) === completed &&
    (job.signed_url_expires_at !== null) === completed &&
    (job.error_message !== null) === failed &&
    (job.completed_at !== null) === (completed || failed)
  );
}

export const INCONSISTENT = 'the status, URL, error and completed_at contradict each other';

/** A job in the webhook. */
export const jobSchema = z.strictObject(jobFields).check(z.refine(isConsistent, INCONSISTENT));
