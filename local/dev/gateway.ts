import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type {
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';
import { routeAt } from '../../lambdas/api/http/routing.ts';
import { NAMED_ROUTES } from '../../lambdas/api/routes.ts';
import type { Log } from '../../lambdas/observability/log.ts';
import { API_STAGE } from '../../lib/stages.ts';
import { devHandlers, gatewayResponses } from './operations.ts';
import type { DevService } from './service.ts';

/** API Gateway's payload limit of 10 MB: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const PAYLOAD_BYTES = 10 * 1024 * 1024;

/** Batches are fast here, so clients that waited as long as on AWS would spend most of their time waiting. */
const POLL_AFTER_SECONDS = 1;

const METHOD_ARN = `arn:aws:execute-api:us-east-1:000000000000:dev/${API_STAGE}/GET/`;

export type Gateway = (request: IncomingMessage) => Promise<APIGatewayProxyResult>;

export function devGateway(service: DevService, baseUrl: string, write: Log): Gateway {
  const handlers = devHandlers(service, write);
  const responses = gatewayResponses(write);
  return async (request) => {
    const { body, isTooLarge } = await readBody(request);
    // The URL is not resolved against the base, because `//host/path` would name another host.
    const url = new URL(`${baseUrl}${request.url ?? '/'}`);
    const { corsOrigins } = service.config;
    const cors_origins = corsOrigins === 'any' ? 'any' : corsOrigins.join(',');
    const variables = { base_url: baseUrl, cors_origins };
    const event = eventOf({ request, url, body, variables });
    if (isTooLarge) return responses.tooLarge(event);
    const found = routeAt(NAMED_ROUTES, url.pathname, event.httpMethod);
    const handler = (found && handlers.get(found.route.name)) ?? responses.fallback;
    const routed = { ...event, pathParameters: { ...found?.parameters } };
    const needsKey = url.pathname.startsWith('/v1/') && event.httpMethod !== 'OPTIONS';
    if (!needsKey) return handler(routed);
    const authorizer = await authorize(service, event);
    if (authorizer === 'unauthorized' || authorizer === 'forbidden') {
      return responses[authorizer](event);
    }
    const requestContext = { ...event.requestContext, authorizer };
    return shortenPollInterval(await handler({ ...routed, requestContext }));
  };
}

/**
 * On success, `Retry-After` says when to poll; on an error, when to repeat the request. Only the former is shortened.
 */
function shortenPollInterval(result: APIGatewayProxyResult): APIGatewayProxyResult {
  const { statusCode, headers } = result;
  if (statusCode >= 400 || headers?.['Retry-After'] === undefined) return result;
  return { ...result, headers: { ...headers, 'Retry-After': String(POLL_AFTER_SECONDS) } };
}

async function authorize(service: DevService, event: APIGatewayProxyEvent) {
  const request = { ...event, type: 'REQUEST', methodArn: METHOD_ARN };
  try {
    const policy = await service.authorize(request as unknown as APIGatewayRequestAuthorizerEvent);
    const isAllowed = policy.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
    if (!isAllowed) return 'forbidden';
    return { ...policy.context, principalId: policy.principalId };
  } catch (error) {
    if (error instanceof Error && error.message === 'Unauthorized') return 'unauthorized';
    throw error;
  }
}

interface EventParts {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly body: Buffer;
  readonly variables: Readonly<Record<string, string>>;
}

/** Builds an event of the Lambda proxy integration, payload format 1.0, with binary media types. */
function eventOf({ request, url, body, variables }: EventParts): APIGatewayProxyEvent {
  const headers = Object.entries(request.headersDistinct);
  const query = [...new Set(url.searchParams.keys())];
  const event = {
    resource: '/{proxy+}',
    path: url.pathname,
    httpMethod: request.method ?? 'GET',
    headers: Object.fromEntries(headers.map(([name, values]) => [name, values?.at(-1)])),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: Object.fromEntries(url.searchParams),
    multiValueQueryStringParameters: Object.fromEntries(
      query.map((name) => [name, url.searchParams.getAll(name)]),
    ),
    pathParameters: { proxy: url.pathname.slice(1) },
    stageVariables: { deployment: 'v2', ...variables },
    requestContext: {
      authorizer: null,
      path: `/${API_STAGE}${url.pathname}`,
      stage: API_STAGE,
      requestId: randomUUID(),
    },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  };
  // The rest of the request context is never read.
  return event as unknown as APIGatewayProxyEvent;
}

async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= PAYLOAD_BYTES) chunks.push(chunk as Buffer);
  }
  const isTooLarge = bytes > PAYLOAD_BYTES;
  return { body: isTooLarge ? Buffer.alloc(0) : Buffer.concat(chunks), isTooLarge };
}
