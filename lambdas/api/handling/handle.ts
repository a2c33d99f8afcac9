import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { isBatchId } from '../../domain/identity.ts';
import { SigningKeyUnavailable } from '../../domain/job/reading/result-signer.ts';
import { faultOf, type Log, log } from '../../observability/log.ts';
import { BOTH, type Deployment } from '../definitions/definition.ts';
import { requireDeployment } from '../problems/not-found.ts';
import { Problem, problemResponse } from '../problems/problem.ts';
import { type ApiRequest, readRequest } from '../requests/request.ts';
import { corsHeaders } from '../responses/cors.ts';
import { SECURITY_HEADERS } from '../responses/headers.ts';
import { type ApiResponse, POLL_AFTER_SECONDS } from '../responses/response.ts';

export type Operation = (request: ApiRequest) => Promise<ApiResponse>;

export type Handler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** What a handler needs to know of its operation. */
export interface Handled {
  /** In the log. */
  readonly name: string;
  readonly deployments: readonly Deployment[];
}

/** Serves every request that no operation serves: 404, 405 and OPTIONS. */
export const FALLBACK: Handled = { name: 'fallback', deployments: BOTH };

/**
 * The Lambda handler of an operation. It reads the event, turns thrown errors into problems and logs one
 * line per request. The operation is built at the first request, so that importing a handler needs no
 * environment variables.
 */
export function handle(
  { name, deployments }: Handled,
  build: () => Operation,
  write: Log = log,
): Handler {
  let built: Operation | undefined;
  return async (event) => {
    const startedAt = performance.now();
    const request = readRequest(event);
    let fault: unknown;
    let response: ApiResponse;
    try {
      requireDeployment(request, deployments);
      built ??= build();
      response = await built(request);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.slug === 'internal') fault = error;
      response = problemResponse(problem, request);
    }
    write(
      response.status >= 500 ? 'error' : 'info',
      name,
      loggable(request, response, performance.now() - startedAt, fault),
    );
    return resultOf(request, response);
  };
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SigningKeyUnavailable) {
    return new Problem(
      'signing-key-unavailable',
      'Result URLs can not be signed at this moment; retry shortly.',
      { headers: { 'Retry-After': String(POLL_AFTER_SECONDS) } },
    );
  }
  return new Problem(
    'internal',
    'The service failed. The request_id identifies the request in its logs.',
  );
}

/** Ids and numbers only: no header, body or query, and so no key, secret, polygon or URL. */
function loggable(
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
    outcome: outcomeOf(response.status),
    duration_ms: Math.round(ms),
    ...(fault === undefined ? {} : { fault: faultOf(fault) }),
  };
}

function outcomeOf(status: number): 'ok' | 'refused' | 'failed' {
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'failed';
}

/** Only a valid id: any other text in its place could be a secret sent by mistake. */
function batchIdOf(request: ApiRequest): string | null {
  const text = request.pathParameter('batch_id').toLowerCase();
  return isBatchId(text) ? text : null;
}

function resultOf(request: ApiRequest, response: ApiResponse): APIGatewayProxyResult {
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
