import type { APIGatewayProxyEvent } from 'aws-lambda';

export interface Call {
  readonly method?: string;
  /** The path as the client sends it, after the base URL. */
  readonly path?: string;
  readonly resource?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly tenant?: string | null;
  readonly variables?: Readonly<Record<string, string>>;
}

export const BASE_URL = 'https://abc123.execute-api.eu-central-1.amazonaws.com/live';
export const REQUEST_ID = '1c2d3e4f-0000-4000-8000-000000000001';

/**
 * Builds an event of API Gateway's Lambda proxy integration, payload format 1.0, with binary media types, after the
 * example in "Set up Lambda proxy integrations", API Gateway Developer Guide.
 */
export function gatewayEvent(call: Call = {}): APIGatewayProxyEvent {
  const { method = 'GET', path = '/v1/batch', resource = path, tenant = 'alpha' } = call;
  const multi = Object.fromEntries(
    Object.entries(call.query ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' ? [value] : [...value],
    ]),
  );
  const event = {
    resource,
    path,
    httpMethod: method,
    headers: { ...call.headers },
    multiValueHeaders: Object.fromEntries(
      Object.entries(call.headers ?? {}).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: Object.fromEntries(
      Object.entries(multi).map(([name, values]) => [name, values.at(-1)]),
    ),
    multiValueQueryStringParameters: multi,
    pathParameters: call.parameters ?? null,
    stageVariables: { deployment: 'v2', base_url: BASE_URL, ...call.variables },
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      authorizer: tenant === null ? null : { tenant, principalId: tenant },
      domainName: 'abc123.execute-api.eu-central-1.amazonaws.com',
      httpMethod: method,
      identity: {},
      path: `/live${path}`,
      protocol: 'HTTP/1.1',
      requestId: REQUEST_ID,
      requestTimeEpoch: 0,
      resourceId: 'r',
      resourcePath: resource,
      stage: 'live',
    },
    body: call.body === undefined ? null : Buffer.from(call.body).toString('base64'),
    isBase64Encoded: call.body !== undefined,
  };
  // The identity block is left empty, because none of its fields is read.
  return event as unknown as APIGatewayProxyEvent;
}
