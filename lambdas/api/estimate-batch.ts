import { dynamoQuotas } from '../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { environment } from '../adapters/environment.ts';
import { deployedPacks } from '../adapters/packs/deployed-packs.ts';
import { remembered } from '../adapters/remembered.ts';
import { type EstimatePorts, estimateBatch } from '../domain/admission/estimate.ts';
import { weightOfEstimate } from '../domain/admission/request-rate.ts';
import type { ReceiverPolicy } from '../domain/delivery/receiver-policy.ts';
import { estimateView } from './contract/estimate-view.ts';
import { readQuery } from './contract/query.ts';
import { readCreateBody } from './http/create-body.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import type { Weigh } from './http/metered.ts';
import { violationsProblem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { uncached } from './http/response.ts';

/** @param policy of webhooks, so that an estimate refuses what a creation would */
export function estimateBatchOperation(
  ports: EstimatePorts,
  policy: ReceiverPolicy,
  weigh: Weigh,
): Operation {
  return async (request) => {
    readQuery(request, []);
    const order = readCreateBody(request, policy);
    const { entries, text } = order.jobs;
    const size = { jobs: entries.length, bodyBytes: text.byteLength };
    await weigh(request, weightOfEstimate(size, request.requestsPerMinute));
    const estimate = await estimateBatch(ports, tenantOf(request), order);
    if (estimate.kind === 'refused') throw violationsProblem('validation', estimate.violations);
    return uncached(200, estimateView(estimate));
  };
}

export const handler = handleKeyed('estimate-batch', (table, weigh) => {
  const env = environment(
    'LAMBDA_TASK_ROOT',
    'MODEL_PACKS',
    'JOBS_AT_ONCE',
    'PATCH_BATCHES_AT_ONCE',
    'MEMORY_MB',
    'RETENTION_DAYS',
    'AWS_REGION',
    'WEBHOOK_SCHEMES',
    'WEBHOOK_PRIVATE_RECEIVERS',
    'WEBHOOK_PORTS',
  );
  const ports: EstimatePorts = {
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    catalogue: remembered(() => deployedPacks(env)),
    clock: table.clock,
    concurrency: { jobs: env.JOBS_AT_ONCE, patchBatches: env.PATCH_BATCHES_AT_ONCE },
    memory: env.MEMORY_MB,
    region: env.AWS_REGION,
    retentionDays: env.RETENTION_DAYS,
  };
  const policy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return estimateBatchOperation(ports, policy, weigh);
});
