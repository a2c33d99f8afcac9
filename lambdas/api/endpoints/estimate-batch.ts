import * as z from 'zod/mini';
import {
  type Estimate,
  type EstimatePorts,
  estimateBatch,
  type JobEstimate,
} from '../../domain/admission/estimate.ts';
import { type Amount, fits, inHectares, remainingOf } from '../../domain/admission/quota.ts';
import { ESTIMATE_PER_UNIT } from '../../domain/admission/request-rate.ts';
import type { BatchCost } from '../../domain/cost/batch-cost.ts';
import {
  errorLocation,
  jobErrorCode,
  jobWarning,
  mapData,
} from '../../domain/job/reading/job-schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import { count, time } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { withPlainBody } from '../http/json-body.ts';
import { violationsProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { uncached } from '../http/response.ts';
import { named } from '../specification/published.ts';
import { type CreateBodyPorts, readWeighedBody } from './create-body.ts';
import { createRequest, createRequestExample, weightText } from './create-request.ts';
import estimated from './examples/estimate-batch.json' with { type: 'json' };

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
        .check(z.describe('Number of cells inside the polygon; null if the job is not planned')),
      total_patch_batches: z.nullable(count).check(z.describe('As in the job status')),
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

/** The response of `POST /v1/batch/estimate`. */
export const estimateResponse = named(
  'Estimate',
  z.strictObject({
    total_jobs: count,
    failing_jobs: count.check(
      z.describe(
        'Jobs that are certain to fail: those with an `error_code`. An estimate does not read covariates, so it cannot predict `no_valid_cells`',
      ),
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
            z.describe('With the 10 % quantiles of the recent waits and overheads'),
          ),
          max_seconds: count.check(z.describe('With their 90 % quantiles')),
        }),
      )
      .check(
        z.describe(
          'Time from creation to final state, including queue, start and assembly, estimated from the durations of this deployment’s recent batches. Null if jobs are unplanned, and until the deployment has finished a batch',
        ),
      ),
    expected_cost: z
      .nullable(
        z.strictObject({
          usd: dollars.check(z.describe('Total')),
          functions_usd: dollars.check(z.describe('Lambda, mostly for prediction')),
          state_machine_usd: dollars.check(z.describe('Step Functions')),
          storage_usd: dollars.check(
            z.describe('DynamoDB and S3, for as long as results are kept'),
          ),
          other_usd: dollars.check(z.describe('API, webhook, keys and logs')),
          region: z.string().check(z.describe('The AWS Region whose list prices apply')),
          prices_as_of: z.iso.date(),
        }),
      )
      .check(
        z.describe(
          'What AWS charges for the batch, from its creation to its webhook, without free tiers, tax and the client’s status requests. Null if jobs are unplanned',
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

export const estimateBatchDefinition = {
  operationId: 'estimateBatch',
  tag: 'Batches',
  summary: 'Estimate a batch',
  description: `Returns what creating a batch with this body would do: for each job its area, cells, patch-batches and model, or the error that it would fail with; for the batch the expected time, cost and quota. The body is validated and the jobs are planned exactly as for a creation, so the numbers are the same. Nothing is stored or charged to the quota. Planning stops after ${LIMITS.estimateCpuSeconds} seconds of CPU time, which 1,000 ordinary fields do not reach; \`unplanned_jobs\` counts the jobs that are left. Whether the model has data in a polygon is known only when the polygon is predicted, so a job without an error here can still fail with \`no_valid_cells\`. ${weightText(ESTIMATE_PER_UNIT)}`,
  parameters: ['webhookSecret'],
  body: { schema: createRequest, example: createRequestExample },
  response: {
    status: 200,
    description: 'The estimate',
    headers: ['Cache-Control'],
    content: { schema: estimateResponse, example: estimated },
  },
  problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
} as const satisfies OperationDefinition;

/** An estimate rejects whatever a creation rejects, including webhook receivers. */
export function estimateBatchOperation(ports: EstimatePorts & CreateBodyPorts): Operation {
  return async (request) => {
    const cpuStart = ports.cpuClock();
    readQuery(request, []);
    const requested = await readWeighedBody(withPlainBody(request), ports, ESTIMATE_PER_UNIT);
    const estimate = await estimateBatch(ports, tenantOf(request), requested, cpuStart);
    if (estimate.kind === 'refused') throw violationsProblem('validation', estimate.violations);
    return uncached(200, estimateView(estimate));
  };
}

type JobView = EstimateResponse['jobs'][number];

/** Builds the estimate's response. Fields that a job status also has are named alike and mean the same. */
function estimateView({
  jobs: estimates,
  expectedSeconds,
  expectedDuration,
  expectedCost,
  wanted,
  allowance,
}: Estimate): EstimateResponse {
  const jobs = estimates.map(jobEstimateView);
  const sum = (read: (job: JobView) => number | null) =>
    jobs.reduce((total, job) => total + (read(job) ?? 0), 0);
  return {
    total_jobs: jobs.length,
    failing_jobs: jobs.filter((job) => job.error_code !== null).length,
    unplanned_jobs: estimates.filter(({ draft }) => draft === null).length,
    hectares: inHectares(wanted.squareMetres),
    point_count: sum((job) => job.point_count),
    total_patch_batches: sum((job) => job.total_patch_batches),
    expected_seconds: expectedSeconds === null ? null : Math.ceil(expectedSeconds * 10) / 10,
    expected_duration:
      expectedDuration === null
        ? null
        : {
            min_seconds: expectedDuration.minSeconds,
            max_seconds: expectedDuration.maxSeconds,
          },
    expected_cost: expectedCost === null ? null : costView(expectedCost),
    quota: quotaView(wanted, allowance),
    jobs,
  };
}

function jobEstimateView({ name, year, squareMetres, draft }: JobEstimate, index: number): JobView {
  const planned = draft?.kind === 'plan' ? draft : null;
  const error = draft?.kind === 'refused' ? draft.error : null;
  const period = planned?.model.data_period;
  return {
    job_index: index,
    name,
    year,
    hectares: inHectares(squareMetres),
    point_count: planned?.plan.blocks.reduce((sum, { pointCount }) => sum + pointCount, 0) ?? null,
    total_patch_batches: planned?.plan.blocks.length ?? null,
    model: planned?.model.id ?? null,
    temporal: planned?.model.temporal ?? null,
    data_period: period === undefined ? null : [...period],
    warnings: [...(planned?.warnings ?? [])],
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    error_location: error?.location ?? null,
  };
}

/** A job costs about a hundredth of a cent, so six decimal places are enough. */
const inDollars = (amount: number) => Math.round(amount * 1e6) / 1e6;

function costView({
  region,
  pricesAsOf,
  ...cost
}: BatchCost): NonNullable<EstimateResponse['expected_cost']> {
  return {
    usd: inDollars(cost.total),
    functions_usd: inDollars(cost.functions),
    state_machine_usd: inDollars(cost.stateMachine),
    storage_usd: inDollars(cost.table + cost.objects),
    other_usd: inDollars(cost.api + cost.queue + cost.keys + cost.logs),
    region,
    prices_as_of: pricesAsOf,
  };
}

function quotaView(wanted: Amount, allowance: Estimate['allowance']): EstimateResponse['quota'] {
  const remaining = remainingOf(allowance);
  const { limit } = allowance;
  const after = (left: number, taken: number) => Math.max(left - taken, 0);
  return {
    fits: fits(wanted, remaining),
    jobs: {
      limit: limit.jobs,
      wanted: wanted.jobs,
      remaining: remaining.jobs,
      remaining_after: after(remaining.jobs, wanted.jobs),
    },
    hectares: {
      limit: inHectares(limit.squareMetres),
      wanted: inHectares(wanted.squareMetres),
      remaining: inHectares(remaining.squareMetres),
      remaining_after: inHectares(after(remaining.squareMetres, wanted.squareMetres)),
    },
    resets_at: allowance.resetsAt,
  };
}
