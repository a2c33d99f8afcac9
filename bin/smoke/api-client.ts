import * as z from 'zod';
import { OPERATIONS } from '../../lambdas/api/specification/operations.ts';

export type Deployment = 'v1' | 'v2';

/** The answer of an operation, as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Request {
  /** Of the path, by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One deployment of the API, as its clients see it: an address and a key. */
export interface ApiClient {
  readonly deployment: Deployment;
  readonly baseUrl: string;
  /** Operations that answered as their specification says. */
  readonly answered: ReadonlySet<string>;
  /** @throws Error when the answer has another status than the operation's own */
  call(operationId: string, request?: Request): Promise<Answer>;
  /** Whatever the status is. */
  ask(operationId: string, request?: Request): Promise<Answer>;
}

/** An authorizer's cold start and a function's come before the first answer; the gateway's end is 29 s. */
const TIMEOUT_MS = 35_000;

export function apiClient(deployment: Deployment, baseUrl: string, key: string): ApiClient {
  const answered = new Set<string>();
  const ask: ApiClient['ask'] = async (operationId, { path = {}, query = {}, body } = {}) => {
    const operation = operationNamed(operationId);
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    );
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${baseUrl}${filled}${search === '' ? '' : `?${search}`}`, {
      method: operation.method,
      headers: {
        ...(operation.auth === 'none' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.status === operation.response.status) answered.add(operationId);
    return { status: response.status, headers: response.headers, text };
  };
  return {
    deployment,
    baseUrl,
    answered,
    ask,
    async call(operationId, request) {
      const answer = await ask(operationId, request);
      const { status } = operationNamed(operationId).response;
      if (answer.status === status) return answer;
      throw new Error(
        `${operationId} on ${deployment} answers ${answer.status}: ${answer.text.slice(0, 500)}`,
      );
    },
  };
}

/** @throws Error that names the members which are not as expected */
export function read<Schema extends z.ZodType>(schema: Schema, { text }: Answer): z.infer<Schema> {
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`an answer is not as documented: ${z.prettifyError(parsed.error)}`);
}

function operationNamed(id: string) {
  const operation = OPERATIONS.find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

/** What a deployment has to answer: V1 leaves the operations of V2 out. */
export function operationsOf(deployment: Deployment): readonly string[] {
  return OPERATIONS.filter(({ deployments }) => deployments.includes(deployment)).map(
    ({ operationId }) => operationId,
  );
}
