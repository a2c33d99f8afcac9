import { findEntryFiles } from '../../lambdas/adapters/console-folder.ts';
import { processCpu } from '../../lambdas/adapters/processor.ts';
import { buildOperations } from '../../lambdas/api/definition.ts';
import { FALLBACK, fallbackOperation, type Handler } from '../../lambdas/api/http/handle.ts';
import { createWeigher, meterOperation } from '../../lambdas/api/http/metered.ts';
import { Problem } from '../../lambdas/api/http/problem.ts';
import type { ProblemSlug } from '../../lambdas/api/http/problem-types.ts';
import type { ConsoleFiles } from '../../lambdas/api/operations/console.ts';
import { DEFINED_OPERATIONS } from '../../lambdas/api/operations.ts';
import { NAMED_ROUTES, needsKey, type OperationName } from '../../lambdas/api/routes.ts';
import { buildTemplates } from '../../lambdas/api/specification/build-templates.ts';
import type { Log } from '../../lambdas/observability/log.ts';
import { buildConsole } from '../../lib/build/console-build.ts';
import { isOriginShared } from '../../lib/config/stage-config.ts';
import { inMemoryResultFiles } from '../in-memory/rasters.ts';
import { handle } from './handle.ts';
import type { DevService } from './service.ts';

export function devHandlers(service: DevService, write: Log): ReadonlyMap<OperationName, Handler> {
  const { ports, config, cursorKey, baseUrl } = service;
  const meter = { ...ports, onFailure: (error: unknown) => console.error(error) };
  const templates = buildTemplates();
  const operations = buildOperations(DEFINED_OPERATIONS, {
    ...ports,
    backgrounds: config.console.backgrounds,
    catalogue: async () => ports.catalogue,
    concurrency: config.concurrency,
    cpuClock: processCpu,
    cursorKey,
    files: builtConsole,
    isOriginShared: isOriginShared(config),
    jobsAtOnce: config.concurrency.jobs,
    memory: config.memoryMb,
    readTemplate: async (name) => templates[name],
    region: 'us-east-1',
    resultFiles: inMemoryResultFiles(ports.rasters.read),
    resultsOrigin: new URL(baseUrl).origin,
    runningBatches: config.runningBatches.perTenant,
    weigh: createWeigher(meter),
  });
  return new Map(
    NAMED_ROUTES.map((route) => {
      const built = operations[route.name];
      const served = needsKey(route) ? meterOperation(meter, built) : built;
      return [route.name, handle(route, () => served, write)];
    }),
  );
}

export function gatewayResponses(write: Log) {
  const failingHandler = (slug: ProblemSlug, detail: string, headers = {}): Handler =>
    handle(
      FALLBACK,
      () => async () => {
        throw new Problem(slug, detail, { headers });
      },
      write,
    );
  return {
    fallback: handle(FALLBACK, () => fallbackOperation(NAMED_ROUTES), write),
    unauthorized: failingHandler(
      'unauthorized',
      'Send a valid API key in the header Authorization: Bearer <key>.',
      { 'WWW-Authenticate': 'Bearer' },
    ),
    forbidden: failingHandler('forbidden', 'The tenant of this key is disabled.'),
    tooLarge: failingHandler('body-too-large', 'The body is larger than API Gateway accepts.'),
  };
}

/**
 * The files of all builds so far, by name. A file's name contains a hash of its content, and an open page may load
 * files of an earlier build.
 */
const built = new Map<string, string>();

function rebuildConsole(): readonly string[] {
  const files = Object.entries(buildConsole().output);
  for (const [name, text] of files) built.set(name, text);
  return files.map(([name]) => name);
}

/** The console built from the current sources: each request for the page rebuilds it if files have changed. */
const builtConsole: ConsoleFiles = {
  entry: async () => findEntryFiles(rebuildConsole()),
  async read(name) {
    // A page that an earlier process served may still load files.
    if (!built.has(name)) rebuildConsole();
    return built.get(name);
  },
};
