import type { APIGatewayProxyEvent } from 'aws-lambda';
import { DEFAULT_TENANT_LIMITS } from '../../domain/tenant/tenant.ts';

export type Deployment = 'v1' | 'v2';

/** Origins whose pages may read responses; `any` allows every origin. */
export type AllowedOrigins = 'any' | readonly string[];

export interface ApiRequest {
  readonly method: string;
  /** The path relative to the base URL: `/v1/batch/…` on every deployment. */
  readonly path: string;
  /** The base URL of this deployment, without a trailing slash. */
  readonly baseUrl: string;
  readonly requestId: string;
  readonly deployment: Deployment;
  /** The base URL of V2; null on V2 itself. */
  readonly v2Url: string | null;
  readonly allowedOrigins: AllowedOrigins;
  /** Set by the authorizer; null for operations without one. */
  readonly tenant: string | null;
  /** The tenant's limit, up to a minute old, because the gateway caches the authorizer's result. */
  readonly requestsPerMinute: number;
  readonly body: Uint8Array;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /**
   * Returns a header by its case-insensitive name. The values of a repeated header are joined (RFC 9110, section 5.3).
   */
  header(name: string): string | null;
  /** Returns an empty string if the path has no such parameter. */
  pathParameter(name: string): string;
}

export function readRequest(event: APIGatewayProxyEvent): ApiRequest {
  const headers = readRequestHeaders(event);
  const authorizer: Readonly<Record<string, unknown>> = event.requestContext.authorizer ?? {};
  const tenant = authorizer['tenant'];
  return {
    method: event.httpMethod,
    path: requestedPath(event),
    baseUrl: readBaseUrl(event),
    requestId: event.requestContext.requestId,
    deployment: event.stageVariables?.['deployment'] === 'v2' ? 'v2' : 'v1',
    v2Url: event.stageVariables?.['v2_url'] ?? null,
    allowedOrigins: originsIn(event.stageVariables?.['cors_origins']),
    tenant: typeof tenant === 'string' && tenant !== '' ? tenant : null,
    requestsPerMinute: readRate(authorizer['requests_per_minute']),
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    query: queryOf(event),
    header: (name) => headers.get(name.toLowerCase()) ?? null,
    pathParameter: (name) => event.pathParameters?.[name] ?? '',
  };
}

/** Without the stage variable, links are relative. */
function readBaseUrl(event: APIGatewayProxyEvent): string {
  return event.stageVariables?.['base_url'] ?? '';
}

/**
 * Returns the request's path relative to the base URL. On API Gateway's default host, `requestContext.path` is
 * `event.path` preceded by the stage. On a custom domain the two paths are equal and begin with the mapping's base
 * path, if there is one ("Map API stages to a custom domain name", API Gateway Developer Guide).
 */
export function requestedPath(event: APIGatewayProxyEvent): string {
  const { path } = event;
  if (event.requestContext.path !== path) return path;
  const basePath = readBaseUrl(event).replace(/^[a-z]+:\/\/[^/]*/, '');
  if (path === basePath) return '/';
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

/** A stage variable cannot contain "*", so its value is `any` or a comma-separated list. */
function originsIn(variable: string | undefined): AllowedOrigins {
  if (variable === 'any') return 'any';
  return (variable ?? '').split(',').filter((origin) => origin !== '');
}

/** The gateway turns every value of an authorizer's context into text. */
function readRate(text: unknown): number {
  const rate = Number(text);
  return Number.isInteger(rate) && rate > 0 ? rate : DEFAULT_TENANT_LIMITS.requestsPerMinute;
}

/** @throws Error if the gateway let an operation run without its authorizer */
export function tenantOf(request: ApiRequest): string {
  if (request.tenant === null) throw new Error('the authorizer did not provide a tenant');
  return request.tenant;
}

function readRequestHeaders(event: APIGatewayProxyEvent): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    if (value !== undefined) headers.set(name.toLowerCase(), value);
  }
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {})) {
    if (values !== undefined) headers.set(name.toLowerCase(), values.join(', '));
  }
  return headers;
}

function queryOf(event: APIGatewayProxyEvent): ReadonlyMap<string, readonly string[]> {
  const query = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(event.queryStringParameters ?? {})) {
    if (value !== undefined) query.set(name, [value]);
  }
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (values !== undefined) query.set(name, values);
  }
  return query;
}
