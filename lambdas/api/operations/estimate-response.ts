import * as z from 'zod/mini';
import {
  errorLocation,
  jobErrorCode,
  jobWarning,
  mapData,
} from '../../domain/job/reading/job-schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import { count, time } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';

const hectares = z.number().check(z.nonnegative());

const dollars = z.number().check(z.nonnegative());

const jobEstimate = named(
  'JobEstimate',
  z
    .strictObject({
      job_index: count.check(z.describe('Position in the request, from 0')),
      name: z.nullable(z.string()).check(z.describe('Name as sent, or the ID of the Feature')),
      year: z.int(),
      hectares: hectares.check(
        z.describe(
          `Charged area: the largest of ground area, perimeter × ${LIMITS.chargedWidthMetres} m and ${LIMITS.chargedSquareMetresPerRing} m² per ring; 0 for a job that is certain to fail`,
        ),
      ),
      point_count: z
        .nullable(count)
        .check(
          z.describe('Number of cells that belong to the polygon; null if the job is not planned'),
        ),
      total_patch_batches: z
        .nullable(count)
        .check(z.describe('Patch-batches into which the job is split; null if it is not planned')),
      model: z.nullable(z.string()).check(z.describe('`id@version`')),
      ...mapData,
      warnings: z.array(jobWarning),
      error_code: z.nullable(jobErrorCode).check(z.describe('Why the job would fail')),
      error_message: z
        .nullable(z.string().check(z.minLength(1)))
        .check(z.describe('What is wrong, where, and what is allowed')),
      error_location: z.nullable(errorLocation),
    })
    .check(
      z.refine(
        (job) => (job.point_count !== null) === (job.total_patch_batches !== null),
        'cells and patch-batches must both be known or both be null',
      ),
      z.refine(
        (job) =>
          job.error_code === null || (job.point_count === null && job.error_message !== null),
        'a job with an error must have a message and no cells',
      ),
    ),
);

const quotaAmounts = <T extends z.ZodMiniType>(amount: T) =>
  z.strictObject({
    limit: amount.check(z.describe('Limit for the whole day')),
    wanted: amount.check(z.describe('Needed by this batch')),
    remaining: amount.check(z.describe('Left now, before this batch')),
    remaining_after: amount.check(
      z.describe('Left after this batch; 0 if the batch needs more than is left'),
    ),
  });

export const estimateResponse = named(
  'Estimate',
  z.strictObject({
    total_jobs: count,
    failing_jobs: count.check(
      z.describe('Jobs that are certain to fail, which have an `error_code`'),
    ),
    unplanned_jobs: count.check(
      z.describe(
        `Jobs that were not planned within ${LIMITS.estimateCpuSeconds} seconds of CPU time; they have no cells, model or error. Estimate them in another request`,
      ),
    ),
    hectares: hectares.check(z.describe('Sum over all jobs')),
    point_count: count.check(z.describe('Sum over the planned jobs')),
    total_patch_batches: count.check(z.describe('Sum over the planned jobs')),
    expected_seconds: z
      .nullable(z.number().check(z.nonnegative()))
      .check(
        z.describe(
          'Time that prediction alone takes while nothing else runs, at the models’ measured rates, without start-up and raster assembly, which `expected_duration` includes. Null if jobs are unplanned',
        ),
      ),
    expected_duration: z
      .nullable(
        z.strictObject({
          min_seconds: count.check(
            z.describe('Computed with the 10 % quantiles of the recent waits and overheads'),
          ),
          max_seconds: count.check(
            z.describe('Computed with the 90 % quantiles of the recent waits and overheads'),
          ),
        }),
      )
      .check(
        z.describe(
          'Time from creation to final state, including queue, start and assembly, estimated from the durations of the service’s recent batches. Null if jobs are unplanned, or if the service has finished no batch recently',
        ),
      ),
    expected_cost: z
      .nullable(
        z.strictObject({
          usd: dollars.check(z.describe('Total')),
          functions_usd: dollars.check(z.describe('Lambda')),
          state_machine_usd: dollars.check(z.describe('Step Functions')),
          storage_usd: dollars.check(
            z.describe('DynamoDB and S3, for as long as results are kept'),
          ),
          other_usd: dollars.check(z.describe('API Gateway, SQS, KMS and CloudWatch Logs')),
          region: z.string().check(z.describe('The AWS Region whose list prices apply')),
          prices_as_of: z.iso.date(),
        }),
      )
      .check(
        z.describe(
          'What AWS charges for creating, running and delivering the batch and for storing it until its results expire, without free tiers, tax, copies to a `destination` and the client’s status requests. Null if jobs are unplanned',
        ),
      ),
    quota: z
      .strictObject({
        fits: z.boolean().check(z.describe('Whether the quota left now suffices for this batch')),
        jobs: quotaAmounts(count),
        hectares: quotaAmounts(hectares),
        resets_at: time,
      })
      .check(z.describe('The tenant’s quota for the UTC day; an estimate is not charged')),
    jobs: z.array(jobEstimate).check(z.minLength(1)),
  }),
);

export type EstimateResponse = z.infer<typeof estimateResponse>;
