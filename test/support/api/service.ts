import type { APIGatewayProxyResult } from 'aws-lambda';
import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { buildOperations } from '../../../lambdas/api/definition.ts';
import {
  FALLBACK,
  fallbackOperation,
  type Handled,
  type Operation,
} from '../../../lambdas/api/http/handle.ts';
import { DEFINED_OPERATIONS } from '../../../lambdas/api/operations.ts';
import { NAMED_ROUTES, type OperationName, routeNamed } from '../../../lambdas/api/routes.ts';
import { buildTemplates } from '../../../lambdas/api/specification/build-templates.ts';
import type { CpuClock } from '../../../lambdas/domain/clock.ts';
import type {
  DestinationCheck,
  ServiceTrust,
} from '../../../lambdas/domain/destination/destination.ts';
import type { TenantRecord } from '../../../lambdas/domain/tenant/tenant.ts';
import { handle } from '../../../local/dev/handle.ts';
import { type Call, gatewayEvent } from './gateway-event.ts';
import { NOW, writtenStores } from './written-stores.ts';

export const LATER = '2026-03-04T06:00:00.000Z';

/** Tests write what the pipeline would write. */
export function inMemoryService({
  catalogue = shippedPacks,
  signUrl = exampleUrl,
  version = '1.2.3',
  cpuClock = noCpu,
  checkDestination = acceptDestination,
  accounts = null as ServiceTrust['accounts'],
} = {}) {
  const { stores, written } = writtenStores({ catalogue: shipped, signUrl });
  const weights: number[] = [];
  const log: string[] = [];
  const handled = (route: Handled, build: () => Operation) =>
    handle(route, build, (level, event, members) =>
      log.push(JSON.stringify({ level, event, ...members })),
    );
  const operations = buildOperations(DEFINED_OPERATIONS, {
    ...stores,
    backgrounds: [],
    catalogue,
    concurrency: { jobs: 2, patchBatches: 2 },
    cpuClock,
    destinationCheck: { checkDestination },
    trust: { ...stores.trust, accounts },
    cursorKey: async () => new TextEncoder().encode('a key of cursors'),
    files: { entry: () => Promise.reject(new Error('no console')), read: async () => undefined },
    isOriginShared: false,
    jobsAtOnce: 2,
    memory: { plan: 1_769, predict: 1_769, assemble: 1_769, deliver: 512 },
    readTemplate: async (name) => templates[name],
    receiver: { post: async () => ({ kind: 'responded', statusCode: 200 }) },
    receiverPolicy: { schemes: ['https', 'http'], ports: 'web', privateReceivers: 'refuse' },
    region: 'us-east-1',
    resultsOrigin: 'https://results.example',
    runningBatches: 5,
    version,
    weigh: async (_, weight) => {
      weights.push(weight);
    },
  });
  const operation = (name: OperationName) => {
    const { method, path } = routeNamed(name);
    return caller(
      handled(routeNamed(name), () => operations[name]),
      { method, path },
    );
  };

  return {
    ...written,
    stores,
    weights,
    log,
    recentTimes: stores.recentTimes,
    read: (name: OperationName, call: Call = {}) => operation(name)(call),
    create: operation('create-batch'),
    estimate: operation('estimate-batch'),
    list: operation('list-batches'),
    batchStatus: operation('batch-status'),
    jobStatus: operation('job-status'),
    patchBatchStatus: operation('patch-batch-status'),
    health: (call: Call = {}) => operation('health')({ tenant: null, ...call }),
    usage: operation('usage'),
    limits: operation('limits'),
    models: operation('models'),
    modelStyle: operation('model-style'),
    result: operation('result'),
    resultItem: operation('result-item'),
    batchResults: operation('batch-results'),
    batchTotal: operation('batch-total'),
    resultPreview: operation('result-preview'),
    openApi: operation('openapi'),
    docs: operation('docs'),
    problemPage: operation('problem-page'),
    fallback: caller(handled(FALLBACK, () => fallbackOperation(NAMED_ROUTES))),
  };
}

const templates = buildTemplates();

const acceptDestination: DestinationCheck['checkDestination'] = async () => null;

const noCpu: CpuClock = () => 0;

async function exampleUrl(batchId: string, jobId: string, fileName: string): Promise<string> {
  return `https://results.example/${batchId}/${jobId}.tif?file=${fileName}&X-Amz-Signature=00`;
}

const shipped = createPackCatalogue([await loadPack(openPackFolder('models/meuse-soc'))]);
const shippedPacks = async () => shipped;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The parsed JSON. Parse it with a schema to get its type. */
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

/** The record of the tenant that calls have by default. */
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

export const withIdempotencyKey = (key: string, body = creationBody()): Call => ({
  body,
  headers: { 'Idempotency-Key': key },
});
