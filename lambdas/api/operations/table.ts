/** A deployment of the API. */
export type Deployment = 'v1' | 'v2';

/** One operation of the API, as far as routing needs to know it. */
export interface OperationEntry {
  /** Its name for client generators. */
  readonly operationId: string;
  /** GET operations serve HEAD too (RFC 9110, section 9.3.2). */
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  /** The Lambda function that serves it: the name of its file in `lambdas/api/functions/`. */
  readonly handler: string;
  readonly auth: 'key' | 'none';
  /** The deployments that have it; on others its path responds with 404 and the URL on V2. */
  readonly deployments: readonly Deployment[];
}

const BOTH = ['v1', 'v2'] as const;
const ONLY_V2 = ['v2'] as const;

/**
 * Every operation of the API. Routes, functions, `Allow` headers, V1's 404 responses and the paths of
 * the OpenAPI document are derived from it. The keys name operations in logs and code. To add an
 * operation, see CONTRIBUTING.md.
 */
export const OPERATION_TABLE = {
  'create-batch': {
    operationId: 'createBatch',
    method: 'POST',
    path: '/v1/batch',
    handler: 'create-batch',
    auth: 'key',
    deployments: BOTH,
  },
  'estimate-batch': {
    operationId: 'estimateBatch',
    method: 'POST',
    path: '/v1/batch/estimate',
    handler: 'estimate-batch',
    auth: 'key',
    deployments: BOTH,
  },
  'list-batches': {
    operationId: 'listBatches',
    method: 'GET',
    path: '/v1/batch',
    handler: 'reads',
    auth: 'key',
    deployments: BOTH,
  },
  'batch-status': {
    operationId: 'getBatchStatus',
    method: 'GET',
    path: '/v1/batch/{batch_id}/status',
    handler: 'signed-reads',
    auth: 'key',
    deployments: BOTH,
  },
  'batch-results': {
    operationId: 'getBatchResults',
    method: 'GET',
    path: '/v1/batch/{batch_id}/results',
    handler: 'result-reads',
    auth: 'key',
    deployments: BOTH,
  },
  'cancel-batch': {
    operationId: 'cancelBatch',
    method: 'POST',
    path: '/v1/batch/{batch_id}/cancel',
    handler: 'cancel-batch',
    auth: 'key',
    deployments: BOTH,
  },
  'retry-batch': {
    operationId: 'retryBatch',
    method: 'POST',
    path: '/v1/batch/{batch_id}/retry',
    handler: 'retry-batch',
    auth: 'key',
    deployments: BOTH,
  },
  'job-status': {
    operationId: 'getJobStatus',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/status',
    handler: 'signed-reads',
    auth: 'key',
    deployments: ONLY_V2,
  },
  result: {
    operationId: 'getResult',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/result',
    handler: 'signed-reads',
    auth: 'key',
    deployments: BOTH,
  },
  'result-preview': {
    operationId: 'getResultPreview',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/preview',
    handler: 'result-reads',
    auth: 'key',
    deployments: BOTH,
  },
  'result-item': {
    operationId: 'getResultItem',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/item',
    handler: 'result-reads',
    auth: 'key',
    deployments: BOTH,
  },
  'patch-batch-status': {
    operationId: 'getPatchBatchStatus',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
    handler: 'reads',
    auth: 'key',
    deployments: ONLY_V2,
  },
  'batch-deliveries': {
    operationId: 'getDeliveries',
    method: 'GET',
    path: '/v1/batch/{batch_id}/deliveries',
    handler: 'reads',
    auth: 'key',
    deployments: BOTH,
  },
  redeliver: {
    operationId: 'redeliver',
    method: 'POST',
    path: '/v1/batch/{batch_id}/deliveries',
    handler: 'redeliver',
    auth: 'key',
    deployments: BOTH,
  },
  'test-webhook': {
    operationId: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/test',
    handler: 'test-webhook',
    auth: 'key',
    deployments: BOTH,
  },
  usage: {
    operationId: 'getUsage',
    method: 'GET',
    path: '/v1/usage',
    handler: 'reads',
    auth: 'key',
    deployments: BOTH,
  },
  limits: {
    operationId: 'getLimits',
    method: 'GET',
    path: '/v1/limits',
    handler: 'reads',
    auth: 'key',
    deployments: BOTH,
  },
  models: {
    operationId: 'getModels',
    method: 'GET',
    path: '/v1/models',
    handler: 'reads',
    auth: 'key',
    deployments: BOTH,
  },
  'model-style': {
    operationId: 'getModelStyle',
    method: 'GET',
    path: '/v1/models/{model}/style.qml',
    handler: 'reads',
    auth: 'key',
    deployments: BOTH,
  },
  root: {
    operationId: 'getRoot',
    method: 'GET',
    path: '/',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
  },
  health: {
    operationId: 'getHealth',
    method: 'GET',
    path: '/health',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
  },
  openapi: {
    operationId: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
  },
  docs: {
    operationId: 'getDocs',
    method: 'GET',
    path: '/docs',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
  },
  'problem-page': {
    operationId: 'getProblemPage',
    method: 'GET',
    path: '/docs/problems/{slug}',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
  },
  console: {
    operationId: 'getConsole',
    method: 'GET',
    path: '/console',
    handler: 'console',
    auth: 'none',
    deployments: ONLY_V2,
  },
  'console-asset': {
    operationId: 'getConsoleAsset',
    method: 'GET',
    path: '/console/{asset}',
    handler: 'console',
    auth: 'none',
    deployments: ONLY_V2,
  },
} as const satisfies Readonly<Record<string, OperationEntry>>;

export type OperationName = keyof typeof OPERATION_TABLE;

/** A file in `lambdas/api/functions/` that serves operations. */
export type HandlerFile = (typeof OPERATION_TABLE)[OperationName]['handler'];

/** The operations that one function serves. */
export type ServedBy<Handler extends HandlerFile> = {
  [Name in OperationName]: (typeof OPERATION_TABLE)[Name]['handler'] extends Handler ? Name : never;
}[OperationName];

/** Typed for iteration; `Object.entries` alone loses the type of the keys. */
export const OPERATION_ENTRIES = Object.entries(OPERATION_TABLE) as readonly (readonly [
  OperationName,
  OperationEntry & { readonly handler: HandlerFile },
])[];
