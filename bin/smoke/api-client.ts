import * as z from 'zod';
import { OPERATIONS } from '../../lambdas/api/definitions/operations.ts';

export type Deployment = 'v1' | 'v2';

/** The unparsed response of an operation. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Request {
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the path with a slash. */
  readonly slash?: boolean;
}

/** A client of one deployment of the API. */
export interface ApiClient {
  readonly deployment: Deployment;
  readonly baseUrl: string;
  /** Ids of operations that responded with the status of their specification. */
  readonly succeeded: ReadonlySet<string>;
  /** @throws Error if the response does not have the status of the operation's specification */
  call(operationId: string, request?: Request): Promise<ApiResponse>;
  /** Accepts any status. */
  send(operationId: string, request?: Request): Promise<ApiResponse>;
}

/** API Gateway's integration timeout is 29 s; the authorizer's cold start comes before it. */
const TIMEOUT_MS = 35_000;

export function apiClient(deployment: Deployment, baseUrl: string, key: string): ApiClient {
  const succeeded = new Set<string>();
  const send: ApiClient['send'] = async (operationId, request = {}) => {
    const { path = {}, query = {}, body, slash = false } = request;
    const operation = operationNamed(operationId);
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    );
    const search = new URLSearchParams(query).toString();
    const response = await fetch(
      `${baseUrl}${filled}${slash ? '/' : ''}${search === '' ? '' : `?${search}`}`,
      {
        method: operation.method,
        headers: {
          ...(operation.auth === 'none' ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        // A redirect is a response like any other: the key must not follow it.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
    );
    const text = await response.text();
    if (response.status === operation.response.status) succeeded.add(operationId);
    return { status: response.status, headers: response.headers, text };
  };
  return {
    deployment,
    baseUrl,
    succeeded,
    send,
    async call(operationId, request) {
      const response = await send(operationId, request);
      const { status } = operationNamed(operationId).response;
      if (response.status === status) return response;
      throw new Error(
        `${operationId} on ${deployment} returned ${response.status}: ${response.text.slice(0, 500)}`,
      );
    },
  };
}

/** @throws Error that names the invalid fields */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  { text }: ApiResponse,
): z.infer<Schema> {
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`a response does not match its schema: ${z.prettifyError(parsed.error)}`);
}

function operationNamed(id: string) {
  const operation = OPERATIONS.find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

/** Ids of the GET operations whose paths have no other parameters. */
export function readsOf(deployment: Deployment, parameters: readonly string[]): readonly string[] {
  return OPERATIONS.filter(
    ({ method, path, deployments }) =>
      method === 'GET' &&
      deployments.includes(deployment) &&
      [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => parameters.includes(name)),
  ).map(({ operationId }) => operationId);
}

/** Ids of the operations of a deployment: V2 has more than V1. */
export function operationsOf(deployment: Deployment): readonly string[] {
  return OPERATIONS.filter(({ deployments }) => deployments.includes(deployment)).map(
    ({ operationId }) => operationId,
  );
}
