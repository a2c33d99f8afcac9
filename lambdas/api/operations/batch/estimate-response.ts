import * as z from 'zod/mini';
import { JOB_ERROR_CODES } from '../../../domain/job/job.ts';
import { errorLocation, mapData, warning } from '../../../domain/job/job-schema.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { count, time } from '../../../domain/wire.ts';
import { named } from '../../specification/published.ts';

const hectares = z.number().check(z.nonnegative());
const dollars = z.number().check(z.nonnegative());

export const jobEstimate = named(
  'JobEstimate',
  z
    .strictObject({
      job_index: count.check(z.describe('Position in the request, from 0')),
      name: z.nullable(z.string()).check(z.describe('As sent, or the id of the Feature')),
      year: z.int(),
      hectares: hectares.check(
        z.describe(
          `Charged area: the ground area, or the perimeter × ${LIMITS.chargedWidthMetres} m if that is more; 0 for a job that can only fail`,
        ),
      ),
      point_count: z
        .nullable(count)
        .check(z.describe('Cells inside the polygon; null when nothing is planned')),
      total_patch_batches: z.nullable(count).check(z.describe('As in the job’s status later')),
      model: z.nullable(z.string()).check(z.describe('`id@version`')),
      ...mapData,
      warnings: z.array(warning),
      error_code: z.nullable(z.enum(JOB_ERROR_CODES)).check(z.describe('Why the job would fail')),
      error_message: z
        .nullable(z.string().check(z.minLength(1)))
        .check(z.describe('What is wrong, where, what is allowed')),
      error_location: z.nullable(errorLocation),
    })
    .check(
      z.refine(
        (job) => (job.point_count !== null) === (job.total_patch_batches !== null),
        'cells and patch-batches are known together',
      ),
      z.refine(
        (job) =>
          job.error_code === null || (job.point_count === null && job.error_message !== null),
        'a job that would fail says why and has no cells',
      ),
    ),
);

const standing = <T extends z.ZodMiniType>(amount: T) =>
  z.strictObject({
    limit: amount.check(z.describe('Of the whole day')),
    wanted: amount.check(z.describe('By this batch')),
    remaining: amount.check(z.describe('Now, before this batch')),
    remaining_after: amount.check(z.describe('With this batch; 0 when it does not fit')),
  });

/** What `POST /v1/batch/estimate` answers. */
export const estimateResponse = named(
  'Estimate',
  z.strictObject({
    total_jobs: count,
    failing_jobs: count.check(z.describe('Jobs that would fail, as `error_code` says')),
    unplanned_jobs: count.check(
      z.describe(
        `Jobs whose turn did not come within ${LIMITS.estimateSeconds} seconds: they have no cells, no model and no error. Estimate them in a request of their own`,
      ),
    ),
    hectares: hectares.check(z.describe('Sum of the jobs')),
    point_count: count.check(z.describe('Sum of the planned jobs')),
    total_patch_batches: count.check(z.describe('Sum of the planned jobs')),
    expected_seconds: z
      .nullable(z.number().check(z.nonnegative()))
      .check(
        z.describe(
          'Of prediction alone, by the models’ measured rates, when nothing else runs; starting and assembling come on top. Null while jobs are unplanned',
        ),
      ),
    expected_cost: z
      .nullable(
        z.strictObject({
          usd: dollars.check(z.describe('In all')),
          functions_usd: dollars.check(z.describe('Lambda: prediction above all')),
          state_machine_usd: dollars.check(z.describe('Step Functions')),
          storage_usd: dollars.check(z.describe('DynamoDB and S3, as long as results are kept')),
          other_usd: dollars.check(z.describe('Creation, webhook, logs')),
          region: z.string().check(z.describe('Whose list prices these are')),
          prices_as_of: z.iso.date(),
        }),
      )
      .check(
        z.describe(
          'What AWS charges the deployment for the batch, from its creation to its webhook, without free tiers, tax and the client’s own reads. Null while jobs are unplanned',
        ),
      ),
    quota: z
      .strictObject({
        fits: z.boolean().check(z.describe('Whether a creation would be accepted now')),
        jobs: standing(count),
        hectares: standing(hectares),
        resets_at: time,
      })
      .check(z.describe('Of the tenant’s UTC day; an estimate takes nothing of it')),
    jobs: z.array(jobEstimate).check(z.minLength(1)),
  }),
);

export type EstimateResponse = z.infer<typeof estimateResponse>;
