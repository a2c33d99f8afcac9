import { entryOf } from '../../lambdas/adapters/console-folder.ts';
import { processCpu } from '../../lambdas/adapters/processor.ts';
import { cancelBatchOperation } from '../../lambdas/api/endpoints/cancel-batch.ts';
import type { ConsoleFiles } from '../../lambdas/api/endpoints/console.ts';
import { createBatchOperation } from '../../lambdas/api/endpoints/create-batch.ts';
import { redeliverOperation } from '../../lambdas/api/endpoints/deliveries.ts';
import { estimateBatchOperation } from '../../lambdas/api/endpoints/estimate-batch.ts';
import { retryBatchOperation } from '../../lambdas/api/endpoints/retry-batch.ts';
import { testWebhookOperation } from '../../lambdas/api/endpoints/test-webhook.ts';
import {
  builtWith,
  OPEN,
  OPERATIONS,
  type OperationName,
  READS,
} from '../../lambdas/api/endpoints.ts';
import {
  FALLBACK,
  fallbackOperation,
  type Handler,
  handle,
  type Operation,
} from '../../lambdas/api/http/handle.ts';
import { metered, weighing } from '../../lambdas/api/http/metered.ts';
import { Problem } from '../../lambdas/api/http/problem.ts';
import type { ProblemSlug } from '../../lambdas/api/http/problem-types.ts';
import { openApiDocument } from '../../lambdas/api/specification/document.ts';
import type { Log } from '../../lambdas/observability/log.ts';
import { consoleBuild } from '../../lib/build/console-build.ts';
import { inMemoryResultFiles } from '../in-memory/rasters.ts';
import type { DevService } from './service.ts';

/** A handler for each operation, with the in-memory stores. */
export function devHandlers(service: DevService, write: Log): ReadonlyMap<OperationName, Handler> {
  const { paces, ports } = service;
  const meter = { paces, clock: ports.clock, onFailure: (error: unknown) => console.error(error) };
  const operations: Readonly<Record<OperationName, Operation>> = {
    ...devReads(service, weighing(meter)),
    ...devWrites(service, weighing(meter)),
  };
  return new Map(
    OPERATIONS.map((operation) => {
      const built = operations[operation.name];
      const served = operation.auth === 'key' ? metered(meter, built) : built;
      return [operation.name, handle(operation, () => served, write)];
    }),
  );
}

function devReads(
  { ports, config, version, cursorKey, readRaster, baseUrl }: DevService,
  weigh: ReturnType<typeof weighing>,
) {
  const configured = {
    retentionDays: config.retentionDays,
    runningBatches: config.runningBatches.perTenant,
  };
  return {
    ...builtWith(OPEN, {
      version,
      document: openApiDocument,
      files: builtConsole,
      resultsOrigin: new URL(baseUrl).origin,
      tileUrl: config.console.tileUrl ?? null,
      tileAttribution: config.console.tileAttribution ?? null,
    }),
    ...builtWith(READS, {
      ...ports,
      jobsAtOnce: config.concurrency.jobs,
      catalogue: async () => ports.catalogue,
      configured,
      cursorKey,
      resultFiles: inMemoryResultFiles(readRaster),
      version,
      weigh,
    }),
  };
}

function devWrites(
  { ports, config, policy, allowance, cursorKey }: DevService,
  weigh: ReturnType<typeof weighing>,
) {
  const catalogue = async () => ports.catalogue;
  const estimating = {
    concurrency: config.concurrency,
    memory: config.memoryMb,
    region: 'us-east-1',
    cpuClock: processCpu,
  };
  return {
    'create-batch': createBatchOperation({ ...ports, catalogue }, policy, cursorKey, weigh),
    'estimate-batch': estimateBatchOperation({ ...ports, ...estimating, catalogue }, policy, weigh),
    'cancel-batch': cancelBatchOperation(ports),
    'retry-batch': retryBatchOperation(ports),
    redeliver: redeliverOperation(ports),
    'test-webhook': testWebhookOperation({ ...ports, allowance }, policy),
  };
}

/** The gateway's error responses, and the operation for every unknown path and method. */
export function gatewayResponses(write: Log) {
  const failing = (slug: ProblemSlug, detail: string, headers = {}): Handler =>
    handle(
      FALLBACK,
      () => async () => {
        throw new Problem(slug, detail, { headers });
      },
      write,
    );
  return {
    fallback: handle(FALLBACK, () => fallbackOperation(OPERATIONS), write),
    unauthorized: failing(
      'unauthorized',
      'Send a valid API key in the header Authorization: Bearer <key>.',
      { 'WWW-Authenticate': 'Bearer' },
    ),
    forbidden: failing('forbidden', 'The tenant of this key is disabled.'),
    tooLarge: failing('body-too-large', 'The body is larger than API Gateway accepts.'),
  };
}

/** The files of every build so far by name. A name has a hash of its content, and an open page may load more. */
const built = new Map<string, string>();

function build(): readonly string[] {
  const files = Object.entries(consoleBuild().output);
  for (const [name, text] of files) built.set(name, text);
  return files.map(([name]) => name);
}

/** The console of the sources as they are now: each request of the page builds what has changed. */
const builtConsole: ConsoleFiles = {
  entry: async () => entryOf(build()),
  async read(name) {
    // A page of an earlier process may still load files.
    if (!built.has(name)) build();
    return built.get(name);
  },
};
