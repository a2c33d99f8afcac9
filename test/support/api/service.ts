import type { APIGatewayProxyResult } from 'aws-lambda';
import { packCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { packFolder } from '../../../engine/model/pack/pack-folder.ts';
import { batchResultsOperation } from '../../../lambdas/api/endpoints/batch-results.ts';
import { batchStatusOperation } from '../../../lambdas/api/endpoints/batch-status.ts';
import { batchTotalOperation } from '../../../lambdas/api/endpoints/batch-total.ts';
import { createBatchOperation } from '../../../lambdas/api/endpoints/create-batch.ts';
import {
  docsOperation,
  openApiOperation,
  problemPageOperation,
} from '../../../lambdas/api/endpoints/docs.ts';
import { estimateBatchOperation } from '../../../lambdas/api/endpoints/estimate-batch.ts';
import { healthOperation } from '../../../lambdas/api/endpoints/health.ts';
import { jobStatusOperation } from '../../../lambdas/api/endpoints/job-status.ts';
import { limitsOperation } from '../../../lambdas/api/endpoints/limits.ts';
import { listBatchesOperation } from '../../../lambdas/api/endpoints/list-batches.ts';
import { modelStyleOperation } from '../../../lambdas/api/endpoints/model-style.ts';
import { modelsOperation } from '../../../lambdas/api/endpoints/models.ts';
import { patchBatchStatusOperation } from '../../../lambdas/api/endpoints/patch-batch-status.ts';
import { resultOperation } from '../../../lambdas/api/endpoints/result.ts';
import { resultItemOperation } from '../../../lambdas/api/endpoints/result-item.ts';
import { resultPreviewOperation } from '../../../lambdas/api/endpoints/result-preview.ts';
import { usageOperation } from '../../../lambdas/api/endpoints/usage.ts';
import {
  builtWith,
  OPERATIONS,
  type OperationName,
  operationNamed,
  READS,
} from '../../../lambdas/api/endpoints.ts';
import {
  FALLBACK,
  fallbackOperation,
  handle,
  type Operation,
} from '../../../lambdas/api/http/handle.ts';
import { openApiDocument } from '../../../lambdas/api/specification/document.ts';
import type { CpuClock } from '../../../lambdas/domain/clock.ts';
import type { TenantRecord } from '../../../lambdas/domain/tenant/tenant.ts';
import { inMemoryResultFiles } from '../../../local/in-memory/rasters.ts';
import { inMemoryBatchIndex } from '../../../local/in-memory/stores.ts';
import { type Call, gatewayEvent } from './gateway-event.ts';
import { NOW, writtenStores } from './written-stores.ts';

export const LATER = '2026-03-04T06:00:00.000Z';

/** The API's operations over in-memory stores; tests write what the pipeline would write. */
export function inMemoryService({
  catalogue = shippedPacks,
  signUrl = exampleUrl,
  version = '1.2.3',
  cpuClock = noCpu,
} = {}) {
  const { stores, written } = writtenStores({ catalogue, signUrl, cpuClock });
  const { batches, rasters, tenants } = written;
  const weights: number[] = [];
  const log: string[] = [];
  const open = { version, document: openApiDocument };
  const operation = (name: OperationName | 'fallback', build: () => Operation) =>
    handle(name === 'fallback' ? FALLBACK : operationNamed(name), build, (level, event, members) =>
      log.push(JSON.stringify({ level, event, ...members })),
    );

  const batchIndex = inMemoryBatchIndex(() => [...batches.values()].map(({ batch }) => batch));
  const deployed = {
    concurrency: { jobs: 2, patchBatches: 2 },
    memory: { plan: 1_769, predict: 1_769, assemble: 1_769, deliver: 512 },
    region: 'us-east-1',
  };
  const resultFiles = inMemoryResultFiles((id, jobId) => rasters.get(`${id}/${jobId}`));
  const cursorKey = async () => new TextEncoder().encode('a key of cursors');
  const policy = { schemes: ['https', 'http'], ports: 'web', privateReceivers: 'refuse' } as const;
  const weigh = async (_: unknown, weight: number) => {
    weights.push(weight);
  };

  const readOperations = builtWith(READS, {
    ...stores,
    batchIndex,
    cursorKey,
    outbox: { read: async () => null },
    log: { attempts: async () => [] },
    resultFiles,
    version,
    weigh,
    configured: { retentionDays: 30, runningBatches: 5 },
  });

  return {
    ...written,
    stores,
    weights,
    log,
    recentTimes: stores.recentTimes,
    /** An operation that reads what the table and the packs hold. */
    read: (name: keyof typeof READS, call: Call = {}) =>
      caller(
        operation(name, () => readOperations[name]),
        { path: operationNamed(name).path },
      )(call),
    create: caller(
      operation('create-batch', () => createBatchOperation(stores, policy, cursorKey, weigh)),
      {
        method: 'POST',
        path: '/v1/batch',
      },
    ),
    estimate: caller(
      operation('estimate-batch', () =>
        estimateBatchOperation({ ...stores, ...deployed }, policy, weigh),
      ),
      { method: 'POST', path: '/v1/batch/estimate' },
    ),
    list: caller(
      operation('list-batches', () => listBatchesOperation({ ...stores, batchIndex, cursorKey })),
      { path: '/v1/batch' },
    ),
    batchStatus: caller(
      operation('batch-status', () => batchStatusOperation({ ...stores, cursorKey })),
    ),
    jobStatus: caller(operation('job-status', () => jobStatusOperation({ ...stores, cursorKey }))),
    patchBatchStatus: caller(
      operation('patch-batch-status', () => patchBatchStatusOperation(stores)),
    ),
    health: caller(
      operation('health', () => healthOperation({ version })),
      { path: '/health', tenant: null },
    ),
    usage: caller(
      operation('usage', () => usageOperation(stores)),
      { path: '/v1/usage' },
    ),
    limits: caller(
      operation('limits', () =>
        limitsOperation({ tenants, configured: { retentionDays: 30, runningBatches: 5 } }),
      ),
    ),
    models: caller(operation('models', () => modelsOperation({ catalogue: shippedPacks }))),
    modelStyle: caller(
      operation('model-style', () => modelStyleOperation({ catalogue: shippedPacks })),
    ),
    result: caller(operation('result', () => resultOperation(stores))),
    resultItem: caller(
      operation('result-item', () => resultItemOperation({ ...stores, resultFiles })),
    ),
    batchResults: caller(
      operation('batch-results', () =>
        batchResultsOperation({ ...stores, resultFiles, cursorKey }),
      ),
    ),
    batchTotal: caller(operation('batch-total', () => batchTotalOperation({ ...stores, weigh }))),
    resultPreview: caller(
      operation('result-preview', () =>
        resultPreviewOperation({ ...stores, resultFiles, version }),
      ),
    ),
    openApi: caller(operation('openapi', () => openApiOperation(open))),
    docs: caller(operation('docs', () => docsOperation(open))),
    problemPage: caller(operation('problem-page', problemPageOperation)),
    fallback: caller(operation('fallback', () => fallbackOperation(OPERATIONS))),
  };
}

/** No CPU time passes. */
const noCpu: CpuClock = () => 0;

async function exampleUrl(batchId: string, jobId: string, fileName: string): Promise<string> {
  return `https://results.example/${batchId}/${jobId}.tif?file=${fileName}&X-Amz-Signature=00`;
}

const shipped = packCatalogue([await loadPack(packFolder('models/meuse-soc'))]);
const shippedPacks = async () => shipped;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The parsed JSON; parse it with a schema for its type. */
  readonly body: unknown;
}

type Handler = (event: ReturnType<typeof gatewayEvent>) => Promise<APIGatewayProxyResult>;

function caller(handler: Handler, base: Call = {}) {
  return async (call: Call = {}): Promise<Answer> => {
    const result = await handler(gatewayEvent({ ...base, ...call }));
    const type = String(result.headers?.['Content-Type'] ?? '');
    return {
      status: result.statusCode,
      headers: result.headers ?? {},
      text: result.body,
      get body() {
        return type.includes('json') && result.body !== '' ? JSON.parse(result.body) : null;
      },
    };
  };
}

export const statusCall = (batchId: string, query: Call['query'] = {}): Call => ({
  path: `/v1/batch/${batchId}/status`,
  resource: '/v1/batch/{batch_id}/status',
  parameters: { batch_id: batchId },
  query,
});

export const resultsCall = (batchId: string, call: Call = {}): Call => ({
  path: `/v1/batch/${batchId}/results`,
  resource: '/v1/batch/{batch_id}/results',
  parameters: { batch_id: batchId },
  ...call,
});

export const totalCall = (batchId: string, batchIds: readonly string[] = []): Call => ({
  path: `/v1/batch/${batchId}/total`,
  resource: '/v1/batch/{batch_id}/total',
  parameters: { batch_id: batchId },
  query: batchIds.length === 0 ? {} : { batch_id: batchIds },
});

export const jobCall = (batchId: string, jobId: string, query: Call['query'] = {}): Call => ({
  path: `/v1/batch/${batchId}/jobs/${jobId}/status`,
  resource: '/v1/batch/{batch_id}/jobs/{job_id}/status',
  parameters: { batch_id: batchId, job_id: jobId },
  query,
});

export const patchBatchCall = (batchId: string, jobId: string, idx: string): Call => ({
  path: `/v1/batch/${batchId}/jobs/${jobId}/patches/${idx}/status`,
  resource: '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
  parameters: { batch_id: batchId, job_id: jobId, patch_batch_idx: idx },
});

/** The default tenant of calls, once it is written. */
export const A_TENANT: TenantRecord = {
  tenant: 'alpha',
  createdAt: NOW.toISOString(),
  disabledAt: null,
  limits: {},
};

export const POLYGON = {
  type: 'Polygon',
  coordinates: [
    [
      [5.72, 50.96],
      [5.73, 50.96],
      [5.73, 50.97],
      [5.72, 50.96],
    ],
  ],
};

export const job = (members: object = {}) => ({ polygon: POLYGON, year: 2020, ...members });

export function creationBody(members: object = {}): string {
  return JSON.stringify({ jobs: [job()], ...members });
}

/** A creation with an idempotency key. */
export const keyed = (key: string, body = creationBody()): Call => ({
  body,
  headers: { 'Idempotency-Key': key },
});
