import {
  type Estimate,
  type EstimatePorts,
  estimateBatch,
  type JobEstimate,
} from '../../domain/admission/estimate.ts';
import { type Amount, fits, inHectares, remainingOf } from '../../domain/admission/quota.ts';
import { ESTIMATE_PER_UNIT } from '../../domain/admission/request-rate.ts';
import type { BatchCost } from '../../domain/cost/batch-cost.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { withPlainBody } from '../http/json-body.ts';
import { violationsProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { uncached } from '../http/response.ts';
import { type CreateBodyPorts, readWeighedBody } from './create-body.ts';
import { createRequest, createRequestExample, weightText } from './create-request.ts';
import { type EstimateResponse, estimateResponse } from './estimate-response.ts';
import estimated from './examples/estimate-batch.json' with { type: 'json' };

export const estimateBatchDefinition = {
  operationId: 'estimateBatch',
  tag: 'Batches',
  summary: 'Estimate a batch',
  description: `Returns what creating a batch with this body would do: for each job its area, cells, patch-batches and model, or the error that it would fail with; for the batch the expected time, cost and quota. The body is validated and the jobs are planned by the same rules as for a creation, but access to a \`destination\` is not tested. Nothing is stored or charged to the quota. Planning stops after ${LIMITS.estimateCpuSeconds} seconds of CPU time, enough for 1,000 ordinary fields; \`unplanned_jobs\` counts the jobs that were not planned. Whether the model has data in a polygon is known only when the polygon is predicted, so a job without an error in the estimate can still fail with \`no_valid_cells\`. ${weightText(ESTIMATE_PER_UNIT)}`,
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

/** Unlike a creation, an estimate does not test access to a destination. */
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

/** Fields that a job status also has are named alike and mean the same. */
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

/** Rounds to a ten-thousandth of a cent. */
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
