import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CORS_EXPOSED_HEADERS, SECURITY_HEADERS } from '../../lambdas/api/http/headers.ts';
import {
  PROBLEM_TYPES,
  type ProblemSlug,
  problemPath,
} from '../../lambdas/api/http/problem-types.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import type { StageConfig } from '../config/stage-config.ts';

interface GatewayProblem {
  readonly type: ResponseType;
  readonly slug: ProblemSlug;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NO_KEY =
  'Send a valid API key in the header Authorization: Bearer <key>. Keys can expire or be revoked.';
const NO_PATH = 'No operation of this API has this path and method.';
const UNREADABLE = 'The gateway cannot read the request.';
const SLOW_DOWN = 'Too many requests in a short time. Wait, then send the same request again.';
const SERVICE_FAILED = 'The service failed. Send the same request again.';

const READABLE = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': CORS_EXPOSED_HEADERS.join(', '),
};
const BEARER = { 'WWW-Authenticate': 'Bearer' };
const retryAfterHeader = (seconds: number) => ({ 'Retry-After': String(seconds) });

/**
 * The two defaults, and the response types whose problem differs from them. Types for AWS signatures, API keys of the
 * gateway and request validators cannot occur, because the APIs do not use these.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const GATEWAY_PROBLEMS: readonly GatewayProblem[] = [
  { type: ResponseType.UNAUTHORIZED, slug: 'unauthorized', detail: NO_KEY, headers: BEARER },
  {
    type: ResponseType.ACCESS_DENIED,
    slug: 'forbidden',
    detail:
      "The key's tenant currently has no access to this API, or requests from your network are not allowed.",
  },
  {
    type: ResponseType.WAF_FILTERED,
    slug: 'forbidden',
    detail: 'A firewall blocked the request.',
  },
  // The gateway responds with this type to an unknown path or method.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, slug: 'not-found', detail: NO_PATH },
  { type: ResponseType.RESOURCE_NOT_FOUND, slug: 'not-found', detail: NO_PATH },
  { type: ResponseType.DEFAULT_4XX, slug: 'parameter-invalid', detail: UNREADABLE },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    slug: 'body-too-large',
    detail: `The body may have at most ${LIMITS.bodyBytes} bytes.`,
  },
  {
    type: ResponseType.THROTTLED,
    slug: 'throttled',
    detail: SLOW_DOWN,
    headers: retryAfterHeader(1),
  },
  {
    type: ResponseType.INTEGRATION_TIMEOUT,
    slug: 'unavailable',
    detail: SERVICE_FAILED,
    headers: retryAfterHeader(5),
  },
  { type: ResponseType.DEFAULT_5XX, slug: 'internal', detail: SERVICE_FAILED },
];

/**
 * Turns the gateway's error responses into problem documents (RFC 9457), like those of the functions.
 * @param baseUrl the API's base URL, for the problems' pages
 * @param origins whose pages may read the responses. A gateway response cannot depend on the request's origin and
 * contains no secret, so it allows all origins or none
 */
export function addProblemResponses(
  api: RestApi,
  baseUrl: string,
  origins: StageConfig['corsOrigins'],
): void {
  const everywhere = {
    ...SECURITY_HEADERS,
    // Constants are in single quotes, so the keyword 'none' cannot be used. An empty list of sources means the
    // same (Content Security Policy Level 3).
    'Content-Security-Policy': 'default-src; frame-ancestors',
    // Without this, a 404 may be cached heuristically (RFC 9111, section 4.2.2).
    'Cache-Control': 'no-store',
    ...(origins.length === 0 ? {} : READABLE),
  };
  for (const { type, slug, detail, headers } of GATEWAY_PROBLEMS) {
    const { status, title } = PROBLEM_TYPES[slug];
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: quoteConstants({
        'Content-Type': 'application/problem+json',
        ...everywhere,
        ...headers,
      }),
      templates: {
        'application/json': JSON.stringify({
          type: baseUrl + problemPath(slug),
          title,
          status,
          detail,
          request_id: '$context.requestId',
        }),
      },
    });
  }
}

/** A header's value is a mapping expression, in which constants are quoted. */
function quoteConstants(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
