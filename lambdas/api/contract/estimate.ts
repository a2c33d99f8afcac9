import * as z from 'zod';
import { JOB_ERROR_CODES } from '../../domain/job/job.ts';
import { errorLocation, mapData, warning } from '../../domain/job/job-schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import { count, time } from '../../domain/wire.ts';

const hectares = z.number().nonnegative();
const dollars = z.number().nonnegative();

export const jobEstimate = z
  .strictObject({
    job_index: count.describe('Position in the request, from 0'),
    name: z.string().nullable().describe('As sent, or the id of the Feature'),
    year: z.number().int(),
    hectares: hectares.describe(
      'Ground area that would count against the quota; 0 for a job that can only fail',
    ),
    point_count: count
      .nullable()
      .describe('Cells inside the polygon; null when nothing is planned'),
    total_patch_batches: count.nullable().describe('As in the job’s status later'),
    model: z.string().nullable().describe('`id@version`'),
    ...mapData,
    warnings: z.array(warning),
    error_code: z.enum(JOB_ERROR_CODES).nullable().describe('Why the job would fail'),
    error_message: z.string().min(1).nullable().describe('What is wrong, where, what is allowed'),
    error_location: errorLocation.nullable(),
  })
  .refine(
    (job) => (job.point_count !== null) === (job.total_patch_batches !== null),
    'cells and patch-batches are known together',
  )
  .refine(
    (job) => job.error_code === null || (job.point_count === null && job.error_message !== null),
    'a job that would fail says why and has no cells',
  );

const standing = <T extends z.ZodType>(amount: T) =>
  z.strictObject({
    limit: amount.describe('Of the whole day'),
    wanted: amount.describe('By this batch'),
    remaining: amount.describe('Now, before this batch'),
    remaining_after: amount.describe('With this batch; 0 when it does not fit'),
  });

/** What `POST /v1/batch/estimate` answers. */
export const estimateResponse = z.strictObject({
  total_jobs: count,
  failing_jobs: count.describe('Jobs that would fail, as `error_code` says'),
  unplanned_jobs: count.describe(
    `Jobs whose turn did not come within ${LIMITS.estimateSeconds} seconds: they have no cells, no model and no error. Estimate them in a request of their own`,
  ),
  hectares: hectares.describe('Sum of the jobs'),
  point_count: count.describe('Sum of the planned jobs'),
  total_patch_batches: count.describe('Sum of the planned jobs'),
  expected_seconds: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'Of prediction alone, by the models’ measured rates, when nothing else runs; starting and assembling come on top. Null while jobs are unplanned',
    ),
  expected_cost: z
    .strictObject({
      usd: dollars.describe('In all'),
      functions_usd: dollars.describe('Lambda: prediction above all'),
      state_machine_usd: dollars.describe('Step Functions'),
      storage_usd: dollars.describe('DynamoDB and S3, as long as results are kept'),
      other_usd: dollars.describe('Creation, webhook, logs'),
      region: z.string().describe('Whose list prices these are'),
      prices_as_of: z.iso.date(),
    })
    .nullable()
    .describe(
      'What AWS charges the deployment for the batch, from its creation to its webhook, without free tiers, tax and the client’s own reads. Null while jobs are unplanned',
    ),
  quota: z
    .strictObject({
      fits: z.boolean().describe('Whether a creation would be accepted now'),
      jobs: standing(count),
      hectares: standing(hectares),
      resets_at: time,
    })
    .describe('Of the tenant’s UTC day; an estimate takes nothing of it'),
  jobs: z.array(jobEstimate).min(1),
});

export type EstimateResponse = z.infer<typeof estimateResponse>;
