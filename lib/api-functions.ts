import { Duration } from 'aws-cdk-lib';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { Foundation, WebhookQueues } from './foundation.ts';
import {
  authorizer,
  batchDeliveries,
  batchStatus,
  cancelBatch,
  createBatch,
  describeApi,
  estimateBatch,
  health,
  jobStatus,
  limits,
  listBatches,
  models,
  patchBatchStatus,
  redeliver,
  requestRate,
  retryBatch,
  testWebhook,
  usage,
} from './permissions/operations.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

export type ApiFunctions = Readonly<
  Record<
    | 'authorizer'
    | 'createBatch'
    | 'estimateBatch'
    | 'listBatches'
    | 'cancelBatch'
    | 'retryBatch'
    | 'batchStatus'
    | 'jobStatus'
    | 'patchBatchStatus'
    | 'batchDeliveries'
    | 'redeliver'
    | 'testWebhook'
    | 'usage'
    | 'limits'
    | 'models'
    | 'health'
    | 'openApi'
    | 'docs'
    | 'fallback',
    ServiceFunction
  >
>;

/** The functions behind both APIs, one an operation. */
export function apiFunctions(
  scope: Construct,
  foundation: Foundation,
  batches: StateMachine,
  webhooks: WebhookQueues,
): ApiFunctions {
  const { config } = foundation;
  const operation = (id: string, props: Omit<ServiceFunctionProps, 'config'>) =>
    new ServiceFunction(scope, id, { config, memoryMb: config.memoryMb.api, ...props });

  const keyed = (id: string, props: Omit<ServiceFunctionProps, 'config'>) =>
    operation(id, { ...props, access: [...props.access, requestRate(foundation)] });

  return {
    authorizer: operation('Authorizer', {
      handler: 'api/authorizer',
      description: 'Finds the tenant of an API key',
      access: authorizer(foundation),
      timeout: Duration.seconds(10),
    }),
    createBatch: keyed('CreateBatch', {
      handler: 'api/create-batch',
      description: 'POST /v1/batch',
      access: createBatch(foundation, batches),
      packs: 'manifests',
      // Judges and measures a thousand polygons while the client waits: a whole vCPU, as for a plan.
      memoryMb: config.memoryMb.plan,
    }),
    estimateBatch: keyed('EstimateBatch', {
      handler: 'api/estimate-batch',
      description: 'POST /v1/batch/estimate',
      access: estimateBatch(foundation),
      packs: 'manifests',
      // Planning is all it does: as fast as the step that plans.
      memoryMb: config.memoryMb.plan,
    }),
    listBatches: keyed('ListBatches', {
      handler: 'api/list-batches',
      description: 'GET /v1/batch',
      access: listBatches(foundation),
    }),
    cancelBatch: keyed('CancelBatch', {
      handler: 'api/cancel-batch',
      description: 'POST /v1/batch/{batch_id}/cancel',
      access: cancelBatch(foundation, batches, webhooks),
    }),
    retryBatch: keyed('RetryBatch', {
      handler: 'api/retry-batch',
      description: 'POST /v1/batch/{batch_id}/retry',
      access: retryBatch(foundation, batches),
    }),
    batchStatus: keyed('BatchStatus', {
      handler: 'api/batch-status',
      description: 'GET /v1/batch/{batch_id}/status',
      access: batchStatus(foundation),
    }),
    jobStatus: keyed('JobStatus', {
      handler: 'api/job-status',
      description: 'GET /v1/batch/{batch_id}/jobs/{job_id}/status (V2)',
      access: jobStatus(foundation),
    }),
    patchBatchStatus: keyed('PatchBatchStatus', {
      handler: 'api/patch-batch-status',
      description: 'GET …/jobs/{job_id}/patches/{patch_batch_idx}/status (V2)',
      access: patchBatchStatus(foundation),
    }),
    usage: keyed('Usage', {
      handler: 'api/usage',
      description: 'GET /v1/usage',
      access: usage(foundation),
    }),
    batchDeliveries: keyed('BatchDeliveries', {
      handler: 'api/batch-deliveries',
      description: 'GET /v1/batch/{batch_id}/deliveries',
      access: batchDeliveries(foundation),
    }),
    redeliver: keyed('Redeliver', {
      handler: 'api/redeliver',
      description: 'POST /v1/batch/{batch_id}/deliveries',
      access: redeliver(foundation, webhooks),
    }),
    testWebhook: keyed('TestWebhook', {
      handler: 'api/test-webhook',
      description: 'POST /v1/webhooks/test',
      access: testWebhook(foundation),
      // A receiver has 10 s to answer, and API Gateway waits 29 s for us.
      timeout: Duration.seconds(20),
    }),
    limits: keyed('Limits', {
      handler: 'api/limits',
      description: 'GET /v1/limits',
      access: limits(foundation),
    }),
    models: keyed('Models', {
      handler: 'api/models',
      description: 'GET /v1/models',
      access: models(foundation),
      packs: 'manifests',
    }),
    health: operation('Health', {
      handler: 'api/health',
      description: 'GET /health',
      access: health(foundation),
    }),
    openApi: operation('OpenApi', {
      handler: 'api/openapi',
      description: 'GET /openapi.json',
      access: describeApi(foundation),
    }),
    docs: operation('Docs', {
      handler: 'api/docs',
      description: 'GET /docs',
      access: describeApi(foundation),
    }),
    fallback: operation('Fallback', {
      handler: 'api/fallback',
      description: '404 and 405 for every address and method that is no operation',
      access: [],
    }),
  };
}
