import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dispatchPorts } from '../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys } from '../adapters/dynamodb/idempotency-keys.ts';
import { dynamoQuotas } from '../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { environment } from '../adapters/environment.ts';
import { kmsWebhookSecrets } from '../adapters/kms/webhook-secret.ts';
import { deployedPacks } from '../adapters/packs/deployed-packs.ts';
import { remembered } from '../adapters/remembered.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { roleObjects } from '../adapters/s3/role-objects.ts';
import { cursorKey } from '../adapters/secrets/cursor-key.ts';
import type { BatchOrder } from '../domain/batch/batch-order.ts';
import {
  type CreateBatchPorts,
  type Creation,
  createBatch,
  type Receipt,
} from '../domain/batch/create-batch.ts';
import type { ReceiverPolicy } from '../domain/delivery/receiver-policy.ts';
import { dispatchBatch } from '../domain/dispatch/dispatch.ts';
import { type BatchId, jobIdsOf } from '../domain/identity.ts';
import { TransientFailure } from '../domain/transient-failure.ts';
import { logFailure } from '../log.ts';
import { readQuery } from './contract/query.ts';
import type { CreationResponse } from './contract/responses.ts';
import { readCreateBody } from './http/create-body.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { idempotencyOf } from './http/idempotency.ts';
import { Problem, violationsProblem } from './http/problem.ts';
import { quotaProblem } from './http/quota-problem.ts';
import { rateLimitHeaders } from './http/rate-limit-headers.ts';
import { tenantOf } from './http/request.ts';
import { POLL_AFTER_SECONDS, uncached } from './http/response.ts';
import { paths } from './http/routes.ts';

/** @param digestSecret the secret behind the digests of repeatable requests */
export function createBatchOperation(
  ports: CreateBatchPorts,
  policy: ReceiverPolicy,
  digestSecret: () => Promise<Uint8Array>,
): Operation {
  return async (request) => {
    readQuery(request, []);
    const order = readCreateBody(request, policy);
    const idempotency = await idempotencyOf(request, digestSecret);
    const creation = await create(ports, tenantOf(request), order, idempotency);
    if (creation.kind === 'refused') throw violationsProblem('validation', creation.violations);
    const now = ports.clock();
    const { allowance } = creation;
    if (creation.kind === 'over-quota') throw quotaProblem(creation.wanted, allowance, now);
    const headers = rateLimitHeaders(allowance, now);
    if (creation.kind === 'key-reused') throw keyReused(creation.batchId, headers);

    const { receipt } = creation;
    const location = `${request.baseUrl}${paths.batchStatus(receipt.batchId)}`;
    const response = uncached(202, creationView(receipt, messageOf(receipt, order, location)), {
      Location: location,
      'Retry-After': String(POLL_AFTER_SECONDS),
      ...headers,
      ...(creation.kind === 'repeated' ? { 'Idempotent-Replayed': 'true' } : {}),
    });
    return { ...response, batchId: receipt.batchId };
  };
}

/** Nothing of a batch is there when its transaction kept losing or S3 took no text: the client may send it again. */
async function create(...order: Parameters<typeof createBatch>): Promise<Creation> {
  try {
    return await createBatch(...order);
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    throw new Problem(
      'unavailable',
      'The batch could not be stored now. Nothing of it was: send the same request again.',
      { headers: { 'Retry-After': String(POLL_AFTER_SECONDS) } },
    );
  }
}

function keyReused(batchId: BatchId, headers: Readonly<Record<string, string>>): Problem {
  return new Problem(
    'idempotency-key-reused',
    `Another request under this Idempotency-Key made the batch ${batchId}. Send a new key for a new batch.`,
    { headers },
  );
}

/** As it was answered first: a repeat tells nothing of what has become of the batch. */
function creationView(
  { batchId, totalJobs, createdAt }: Receipt,
  message: string,
): CreationResponse {
  return {
    batch_id: batchId,
    status: 'pending',
    total_jobs: totalJobs,
    total_tasks: totalJobs,
    job_ids: Object.fromEntries(jobIdsOf(batchId, totalJobs).entries()),
    created_at: createdAt,
    message,
  };
}

function messageOf({ totalJobs }: Receipt, order: BatchOrder, location: string): string {
  const jobs = totalJobs === 1 ? '1 job' : `${totalJobs} jobs`;
  return `Accepted ${jobs}. Progress and results: ${location}. ${webhookNote(order)}`;
}

function webhookNote({ webhook }: BatchOrder): string {
  if (webhook === null) return 'No webhook_url was given, so no webhook will be sent.';
  return webhook.secret === null
    ? 'The completion webhook will be sent unsigned, because no webhook_secret was given.'
    : 'The completion webhook will be signed with your webhook_secret.';
}

export const handler = handleKeyed('create-batch', (table) => {
  const env = environment(
    'WORK_BUCKET',
    'STATE_MACHINE_ARN',
    'WEBHOOK_KEY_ARN',
    'RUNNING_BATCHES',
    'RUNNING_BATCHES_PER_TENANT',
    'RETENTION_DAYS',
    'CURSOR_SECRET_ARN',
    'LAMBDA_TASK_ROOT',
    'MODEL_PACKS',
    'WEBHOOK_SCHEMES',
    'WEBHOOK_PRIVATE_RECEIVERS',
    'WEBHOOK_PORTS',
  );
  const dispatching = dispatchPorts(table, env, logFailure('start-batch'));
  const secrets = new SecretsManagerClient({ ...CLIENT_OPTIONS });
  const ports: CreateBatchPorts = {
    batches: dynamoBatchStore(table),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    dispatch: (batch) => dispatchBatch(dispatching, batch),
    webhookSecrets: kmsWebhookSecrets(new KMSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_KEY_ARN),
    catalogue: remembered(() => deployedPacks(env)),
    clock: table.clock,
    retentionDays: env.RETENTION_DAYS,
    onDispatchFailure: logFailure('dispatch-batch'),
  };
  const policy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return createBatchOperation(ports, policy, cursorKey(secrets, env.CURSOR_SECRET_ARN));
});
