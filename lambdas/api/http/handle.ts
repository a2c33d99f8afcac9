import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { isBatchId } from '../../domain/identity.ts';
import { SigningKeyUnavailable } from '../../domain/job/reading/result-signer.ts';
import { type Log, log, toLoggedFault } from '../../observability/log.ts';
import { corsHeaders, preflightHeaders, SECURITY_HEADERS } from './headers.ts';
import { noSuchPath, requireDeployment } from './not-found.ts';
import { Problem, problemResponse } from './problem.ts';
import { type ApiRequest, type Deployment, readRequest } from './request.ts';
import { type ApiResponse, POLL_AFTER_SECONDS } from './response.ts';
import { listMethods, type Route } from './routing.ts';

export type Operation = (request: ApiRequest) => Promise<ApiResponse>;

export type Handler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

export interface Handled {
  /** As logged. */
  readonly name: string;
  readonly deployments: readonly Deployment[];
}

export const FALLBACK: Handled = { name: 'fallback', deployments: ['v1', 'v2'] };

/**
 * Serves one event with one operation: reads the event, turns thrown errors into problems and logs one line.
 * @param obtain called once the deployment is known to have the operation; its errors become problems too
 */
export async function respond(
  event: APIGatewayProxyEvent,
  { name, deployments }: Handled,
  obtain: () => Operation,
  write: Log = log,
): Promise<APIGatewayProxyResult> {
  const startedAt = performance.now();
  const request = readRequest(event);
  let fault: unknown;
  let response: ApiResponse;
  try {
    requireDeployment(request, deployments);
    const operation = obtain();
    response = await operation(request);
  } catch (error) {
    const problem = toProblem(error);
    if (problem.slug === 'internal') fault = error;
    response = problemResponse(problem, request);
  }
  write(
    response.status >= 500 ? 'error' : 'info',
    name,
    toLogFields(request, response, performance.now() - startedAt, fault),
  );
  return toGatewayResult(request, response);
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SigningKeyUnavailable) {
    return new Problem(
      'signing-key-unavailable',
      'Result URLs cannot be signed at the moment. Retry after the time in Retry-After.',
      { headers: { 'Retry-After': String(POLL_AFTER_SECONDS) } },
    );
  }
  return new Problem(
    'internal',
    'The service failed. If it fails again, report the request_id to its operator.',
  );
}

/** No field comes from a header, body or query, because these may contain keys, secrets or polygons. */
function toLogFields(
  request: ApiRequest,
  response: ApiResponse,
  ms: number,
  fault: unknown,
): Parameters<Log>[2] {
  return {
    request_id: request.requestId,
    deployment: request.deployment,
    tenant: request.tenant,
    batch_id: response.batchId ?? batchIdOf(request),
    method: request.method,
    status: response.status,
    outcome: classifyStatus(response.status),
    duration_ms: Math.round(ms),
    ...(fault === undefined ? {} : { fault: toLoggedFault(fault) }),
  };
}

function classifyStatus(status: number): 'ok' | 'refused' | 'failed' {
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'failed';
}

/** Logs only a valid ID, because any other text in its place could be a secret sent by mistake. */
function batchIdOf(request: ApiRequest): string | null {
  const text = request.pathParameter('batch_id').toLowerCase();
  return isBatchId(text) ? text : null;
}

function toGatewayResult(request: ApiRequest, response: ApiResponse): APIGatewayProxyResult {
  return {
    statusCode: response.status,
    headers: {
      'X-Request-Id': request.requestId,
      ...SECURITY_HEADERS,
      ...corsHeaders(request),
      ...response.headers,
    },
    body: request.method === 'HEAD' ? '' : response.body,
  };
}

/**
 * Serves every request that no operation serves: 404, 405 and OPTIONS.
 * @param routes every operation of the API
 */
export function fallbackOperation(routes: readonly Route[]): Operation {
  return async (request) => {
    const methods = listMethods(routes, request.path);
    if (methods === null) throw noSuchPath(request);
    const Allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS') {
      const headers = { Allow, ...preflightHeaders(request, methods) };
      return { status: 204, headers, body: '' };
    }
    throw new Problem(
      'method-not-allowed',
      `${request.method} is not allowed on ${request.path}; allowed: ${Allow}.`,
      { headers: { Allow } },
    );
  };
}
