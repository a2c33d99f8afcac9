import {
  type Estimate,
  type EstimatePorts,
  estimateBatch,
  type JobEstimate,
} from '../../../domain/admission/estimate.ts';
import { type Amount, fits, inHectares, remainingOf } from '../../../domain/admission/quota.ts';
import { ESTIMATE_PER_UNIT } from '../../../domain/admission/request-rate.ts';
import type { BatchCost } from '../../../domain/cost/batch-cost.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import type { EstimateResponse } from '../../definitions/estimate-response.ts';
import type { Operation } from '../../handling/handle.ts';
import type { Weigh } from '../../handling/metered.ts';
import { violationsProblem } from '../../problems/problem.ts';
import { withPlainBody } from '../../requests/content-encoding.ts';
import { readQuery } from '../../requests/query.ts';
import { tenantOf } from '../../requests/request.ts';
import { uncached } from '../../responses/response.ts';
import { readWeighedBody } from './weighed-body.ts';

/** @param policy of webhooks, so that an estimate rejects what a creation rejects */
export function estimateBatchOperation(
  ports: EstimatePorts,
  policy: ReceiverPolicy,
  weigh: Weigh,
): Operation {
  return async (request) => {
    const cpuStart = ports.cpuClock();
    readQuery(request, []);
    const requested = await readWeighedBody(
      withPlainBody(request),
      policy,
      weigh,
      ESTIMATE_PER_UNIT,
    );
    const estimate = await estimateBatch(ports, tenantOf(request), requested, cpuStart);
    if (estimate.kind === 'refused') throw violationsProblem('validation', estimate.violations);
    return uncached(200, estimateView(estimate));
  };
}

type JobView = EstimateResponse['jobs'][number];

/** The estimate's response. Fields that a job status has too have the same name and meaning. */
function estimateView({
  jobs: estimates,
  expectedSeconds,
  expectedDuration,
  expectedCost,
  wanted,
  allowance,
}: Estimate): EstimateResponse {
  const jobs = estimates.map(jobView);
  const sum = (of: (job: JobView) => number | null) =>
    jobs.reduce((total, job) => total + (of(job) ?? 0), 0);
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

function jobView({ name, year, squareMetres, draft }: JobEstimate, index: number): JobView {
  const planned = draft?.kind === 'plan' ? draft : null;
  const error = draft?.kind === 'refused' ? draft.error : null;
  const period = planned?.model.dataPeriod;
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
