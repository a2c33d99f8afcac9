import type { Route } from './http/routing.ts';

const BOTH = ['v1', 'v2'] as const;
const ONLY_V2 = ['v2'] as const;

/**
 * Every operation of the API, in the order of the OpenAPI document. Operations that `open` serves need no API key; all
 * others do.
 */
export const ROUTES = {
  'create-batch': post('creations', '/v1/batch'),
  'estimate-batch': post('creations', '/v1/batch/estimate'),
  'list-batches': get('batches', '/v1/batch'),
  'batch-status': get('batches', '/v1/batch/{batch_id}/status'),
  batch: get('batches', '/v1/batch/{batch_id}'),
  'batch-results': get('batches', '/v1/batch/{batch_id}/results'),
  'batch-total': get('batches', '/v1/batch/{batch_id}/total'),
  'cancel-batch': post('batches', '/v1/batch/{batch_id}/cancel'),
  'retry-batch': post('creations', '/v1/batch/{batch_id}/retry'),
  'copy-results': post('creations', '/v1/batch/{batch_id}/destination'),
  'job-status': get('batches', '/v1/batch/{batch_id}/jobs/{job_id}/status', ONLY_V2),
  result: get('batches', '/v1/batch/{batch_id}/jobs/{job_id}/result'),
  'result-preview': get('batches', '/v1/batch/{batch_id}/jobs/{job_id}/preview'),
  'result-item': get('batches', '/v1/batch/{batch_id}/jobs/{job_id}/item'),
  'patch-batch-status': get(
    'batches',
    '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
    ONLY_V2,
  ),
  'batch-deliveries': get('batches', '/v1/batch/{batch_id}/deliveries'),
  redeliver: post('batches', '/v1/batch/{batch_id}/deliveries'),
  'test-webhook': post('test-webhook', '/v1/webhooks/test'),
  usage: get('batches', '/v1/usage'),
  limits: get('batches', '/v1/limits'),
  models: get('batches', '/v1/models'),
  'model-style': get('batches', '/v1/models/{model}/style.qml'),
  root: get('open', '/'),
  health: get('open', '/health'),
  openapi: get('open', '/openapi.json'),
  docs: get('open', '/docs'),
  'problem-page': get('open', '/docs/problems/{slug}'),
  console: get('open', '/console', ONLY_V2),
  'console-asset': get('open', '/console/{asset}', ONLY_V2),
} as const;

export type OperationName = keyof typeof ROUTES;

export type HandlerFile = (typeof ROUTES)[OperationName]['handler'];

export type ServedBy<File extends HandlerFile> = {
  [Name in OperationName]: (typeof ROUTES)[Name]['handler'] extends File ? Name : never;
}[OperationName];

export interface NamedRoute extends Route {
  readonly name: OperationName;
  readonly handler: HandlerFile;
}

export const NAMED_ROUTES: readonly NamedRoute[] = (Object.keys(ROUTES) as OperationName[]).map(
  routeNamed,
);

export function routeNamed(name: OperationName): NamedRoute {
  return { name, ...ROUTES[name] };
}

export function needsKey({ handler }: Pick<NamedRoute, 'handler'>): boolean {
  return handler !== 'open';
}

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The path is relative to the base URL. */
export function formatPath<Name extends OperationName>(
  name: Name,
  parameters: Readonly<Record<ParameterOf<(typeof ROUTES)[Name]['path']>, string>>,
): string {
  const values: Readonly<Record<string, string>> = parameters;
  return ROUTES[name].path.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '');
}

function get<const File extends string, const Path extends Route['path']>(
  handler: File,
  path: Path,
  deployments: Route['deployments'] = BOTH,
) {
  return { method: 'GET', path, handler, deployments } as const;
}

function post<const File extends string, const Path extends Route['path']>(
  handler: File,
  path: Path,
) {
  return { method: 'POST', path, handler, deployments: BOTH } as const;
}
