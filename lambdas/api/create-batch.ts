import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { environment } from '../adapters/environment.ts';
import { kmsWebhookSecrets } from '../adapters/kms/webhook-secret.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { stepFunctionsBatchRunner } from '../adapters/step-functions/batch-runner.ts';
import type { Batch } from '../domain/batch/batch.ts';
import type { BatchOrder } from '../domain/batch/batch-order.ts';
import { type CreateBatchPorts, createBatch } from '../domain/batch/create-batch.ts';
import type { ReceiverPolicy } from '../domain/delivery/receiver-policy.ts';
import { jobIdOf } from '../domain/identity.ts';
import { logFailure } from '../log.ts';
import { readQuery } from './contract/parameters.ts';
import { readCreateBody } from './http/create-body.ts';
import { handle, type Operation } from './http/handle.ts';
import { violationsProblem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { POLL_AFTER_SECONDS, uncached } from './http/response.ts';
import { paths } from './http/routes.ts';

export function createBatchOperation(ports: CreateBatchPorts, policy: ReceiverPolicy): Operation {
  return async (request) => {
    readQuery(request, []);
    const order = readCreateBody(request, policy);
    const creation = await createBatch(ports, tenantOf(request), order);
    if (creation.kind === 'refused') throw violationsProblem('validation', creation.violations);
    const { batch } = creation;
    const location = `${request.baseUrl}${paths.batchStatus(batch.batchId)}`;
    const response = uncached(202, creationView(batch, messageOf(batch, order, location)), {
      Location: location,
      'Retry-After': String(POLL_AFTER_SECONDS),
    });
    return { ...response, batchId: batch.batchId };
  };
}

function creationView(batch: Batch, message: string) {
  const indexes = Array.from({ length: batch.totalJobs }, (_, index) => index);
  return {
    batch_id: batch.batchId,
    status: batch.state.status,
    total_jobs: batch.totalJobs,
    total_tasks: batch.totalJobs,
    job_ids: Object.fromEntries(indexes.map((index) => [index, jobIdOf(batch.batchId, index)])),
    created_at: batch.createdAt,
    message,
  };
}

function messageOf(batch: Batch, order: BatchOrder, location: string): string {
  const jobs = batch.totalJobs === 1 ? '1 job' : `${batch.totalJobs} jobs`;
  return `Accepted ${jobs}. Progress and results: ${location}. ${webhookNote(order)}`;
}

function webhookNote({ webhook }: BatchOrder): string {
  if (webhook === null) return 'No webhook_url was given, so no webhook will be sent.';
  return webhook.secret === null
    ? 'The completion webhook will be sent unsigned, because no webhook_secret was given.'
    : 'The completion webhook will be signed with your webhook_secret.';
}

export const handler = handle('create-batch', () => {
  const env = environment(
    'TABLE_NAME',
    'WORK_BUCKET',
    'STATE_MACHINE_ARN',
    'WEBHOOK_KEY_ARN',
    'RETENTION_DAYS',
    'WEBHOOK_SCHEMES',
    'WEBHOOK_PRIVATE_RECEIVERS',
    'WEBHOOK_PORTS',
  );
  const ports: CreateBatchPorts = {
    batches: dynamoBatchStore(openTable(env.TABLE_NAME)),
    jobRequests: s3JobRequests(new S3Client({ ...CLIENT_OPTIONS }), env.WORK_BUCKET),
    runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN),
    webhookSecrets: kmsWebhookSecrets(new KMSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_KEY_ARN),
    clock: () => new Date(),
    retentionDays: env.RETENTION_DAYS,
    onStartFailure: logFailure('start-batch'),
  };
  return createBatchOperation(ports, {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  });
});
