import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { batchDeliveriesOperation } from '../../lambdas/api/batch-deliveries.ts';
import { batchStatusOperation } from '../../lambdas/api/batch-status.ts';
import { cancelBatchOperation } from '../../lambdas/api/cancel-batch.ts';
import { createBatchOperation } from '../../lambdas/api/create-batch.ts';
import { docsOperation } from '../../lambdas/api/docs.ts';
import { estimateBatchOperation } from '../../lambdas/api/estimate-batch.ts';
import { fallbackOperation } from '../../lambdas/api/fallback.ts';
import { healthOperation } from '../../lambdas/api/health.ts';
import { handle, type Operation } from '../../lambdas/api/http/handle.ts';
import { metered, weighing } from '../../lambdas/api/http/metered.ts';
import { Problem } from '../../lambdas/api/http/problem.ts';
import type { ProblemSlug } from '../../lambdas/api/http/problem-types.ts';
import type { ROUTES } from '../../lambdas/api/http/routes.ts';
import { jobStatusOperation } from '../../lambdas/api/job-status.ts';
import { limitsOperation } from '../../lambdas/api/limits.ts';
import { listBatchesOperation } from '../../lambdas/api/list-batches.ts';
import { modelsOperation } from '../../lambdas/api/models.ts';
import { openApiOperation } from '../../lambdas/api/openapi.ts';
import { patchBatchStatusOperation } from '../../lambdas/api/patch-batch-status.ts';
import { redeliverOperation } from '../../lambdas/api/redeliver.ts';
import { retryBatchOperation } from '../../lambdas/api/retry-batch.ts';
import { testWebhookOperation } from '../../lambdas/api/test-webhook.ts';
import { usageOperation } from '../../lambdas/api/usage.ts';
import type { Log } from '../../lambdas/log.ts';
import type { DevService } from './service.ts';

export type Handler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

type KeyOf<Route> = Route extends { path: infer Path; methods: readonly (infer Method)[] }
  ? `${Exclude<Method, 'HEAD'> & string} ${Path & string}`
  : never;

/** Every operation of the route table; HEAD is GET, and the fallback serves the problems' pages. */
type OperationKey = Exclude<KeyOf<(typeof ROUTES)[number]>, 'GET /docs/problems/{slug}'>;

interface DevOperation {
  /** Whether a request needs an API key. */
  readonly isOpen: boolean;
  readonly handler: Handler;
}

export function devOperations(
  { ports, config, version, policy, paces, allowance, cursorKey }: DevService,
  write: Log,
): Readonly<Record<OperationKey, DevOperation>> {
  const meter = { paces, clock: ports.clock, onFailure: (error: unknown) => console.error(error) };
  const open = (name: string, operation: Operation): DevOperation => ({
    isOpen: true,
    handler: handle(name, () => operation, write),
  });
  const keyed = (name: string, operation: Operation): DevOperation => ({
    isOpen: false,
    handler: handle(name, () => metered(meter, operation), write),
  });
  const catalogue = async () => ports.catalogue;
  const estimating = {
    concurrency: config.concurrency,
    memory: config.memoryMb,
    region: 'us-east-1',
  };
  return {
    'GET /health': open('health', healthOperation(version)),
    'GET /openapi.json': open('openapi', openApiOperation(version)),
    'GET /docs': open('docs', docsOperation(version)),
    'GET /v1/usage': keyed('usage', usageOperation(ports)),
    'GET /v1/limits': keyed(
      'limits',
      limitsOperation(ports.tenants, {
        retentionDays: config.retentionDays,
        runningBatches: config.runningBatches.perTenant,
      }),
    ),
    'GET /v1/models': keyed('models', modelsOperation(catalogue)),
    'GET /v1/batch': keyed('list-batches', listBatchesOperation(ports, cursorKey)),
    'POST /v1/batch': keyed(
      'create-batch',
      createBatchOperation({ ...ports, catalogue }, policy, cursorKey),
    ),
    'POST /v1/batch/estimate': keyed(
      'estimate-batch',
      estimateBatchOperation({ ...ports, ...estimating, catalogue }, policy, weighing(meter)),
    ),
    'POST /v1/batch/{batch_id}/cancel': keyed('cancel-batch', cancelBatchOperation(ports)),
    'POST /v1/batch/{batch_id}/retry': keyed('retry-batch', retryBatchOperation(ports)),
    'GET /v1/batch/{batch_id}/status': keyed(
      'batch-status',
      batchStatusOperation(ports, cursorKey),
    ),
    'GET /v1/batch/{batch_id}/deliveries': keyed(
      'batch-deliveries',
      batchDeliveriesOperation(ports),
    ),
    'POST /v1/batch/{batch_id}/deliveries': keyed('redeliver', redeliverOperation(ports)),
    'POST /v1/webhooks/test': keyed(
      'test-webhook',
      testWebhookOperation({ ...ports, allowance }, policy),
    ),
    'GET /v1/batch/{batch_id}/jobs/{job_id}/status': keyed(
      'job-status',
      jobStatusOperation(ports, cursorKey),
    ),
    'GET /v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status': keyed(
      'patch-batch-status',
      patchBatchStatusOperation(ports),
    ),
  };
}

/** What the gateway answers itself, and the operation behind every other path and method. */
export function gatewayResponses(write: Log) {
  const refusing = (slug: ProblemSlug, detail: string, headers = {}): Handler =>
    handle(
      slug,
      () => async () => {
        throw new Problem(slug, detail, { headers });
      },
      write,
    );
  return {
    fallback: handle('fallback', fallbackOperation, write),
    unauthorized: refusing(
      'unauthorized',
      'Send a valid API key in the header Authorization: Bearer <key>.',
      { 'WWW-Authenticate': 'Bearer' },
    ),
    forbidden: refusing('forbidden', 'The tenant of this key is disabled.'),
    tooLarge: refusing('body-too-large', 'The body is larger than API Gateway accepts.'),
  };
}
