import { STATUS_CODES } from 'node:http';
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

/** Answers that API Gateway gives without asking any function, as RFC 9457 problem details. */
interface GatewayProblem {
  readonly type: ResponseType;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NO_KEY =
  'The request carries no valid API key. Send one in the header Authorization: Bearer <key>; keys expire and are revoked.';
const OURS = 'The service failed to handle the request; asking again may succeed.';

const BEARER = { 'WWW-Authenticate': 'Bearer' };

/** Every type that exists: the two defaults catch those that AWS may add. */
export const GATEWAY_PROBLEMS: readonly GatewayProblem[] = [
  problem(ResponseType.UNAUTHORIZED, 401, NO_KEY, BEARER),
  problem(
    ResponseType.ACCESS_DENIED,
    403,
    'This API key may not use the service: its tenant is disabled.',
  ),
  problem(ResponseType.AUTHORIZER_FAILURE, 500, OURS),
  problem(ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 500, OURS),
  problem(ResponseType.API_CONFIGURATION_ERROR, 500, OURS),
  problem(ResponseType.BAD_REQUEST_BODY, 400, 'The body of the request cannot be read.'),
  problem(ResponseType.BAD_REQUEST_PARAMETERS, 400, 'A parameter of the request cannot be read.'),
  problem(ResponseType.EXPIRED_TOKEN, 401, NO_KEY, BEARER),
  problem(ResponseType.INVALID_SIGNATURE, 401, NO_KEY, BEARER),
  problem(ResponseType.INVALID_API_KEY, 401, NO_KEY, BEARER),
  // What the gateway calls so is an address it has no method for.
  problem(ResponseType.MISSING_AUTHENTICATION_TOKEN, 404, 'There is nothing at this address.'),
  problem(ResponseType.RESOURCE_NOT_FOUND, 404, 'There is nothing at this address.'),
  problem(
    ResponseType.REQUEST_TOO_LARGE,
    413,
    'The body of the request may have at most 4,000,000 bytes.',
  ),
  problem(ResponseType.UNSUPPORTED_MEDIA_TYPE, 415, 'Send the body as application/json.'),
  problem(ResponseType.QUOTA_EXCEEDED, 429, 'Too many requests; slow down.', {
    'Retry-After': '60',
  }),
  problem(ResponseType.THROTTLED, 429, 'Too many requests; slow down.', { 'Retry-After': '1' }),
  problem(ResponseType.WAF_FILTERED, 403, 'The request was refused by a firewall.'),
  problem(ResponseType.INTEGRATION_FAILURE, 504, OURS, { 'Retry-After': '5' }),
  problem(ResponseType.INTEGRATION_TIMEOUT, 504, OURS, { 'Retry-After': '5' }),
  problem(ResponseType.DEFAULT_4XX, 400, 'The request cannot be handled.'),
  problem(ResponseType.DEFAULT_5XX, 500, OURS),
];

/** Gives the gateway's own answers the shape of the functions' answers. */
export function addProblemResponses(api: RestApi): void {
  for (const { type, status, title, detail, headers } of GATEWAY_PROBLEMS) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: {
        // CDK passes the text on as a mapping expression, where a constant stands in quotes.
        'Content-Type': "'application/problem+json'",
        ...Object.fromEntries(
          Object.entries(headers ?? {}).map(([name, value]) => [name, `'${value}'`]),
        ),
      },
      templates: {
        'application/json': JSON.stringify({
          // RFC 9457, section 4.2.1: no type of its own, the title is the status code's.
          type: 'about:blank',
          title,
          status,
          detail,
          request_id: '$context.requestId',
        }),
      },
    });
  }
}

function problem(
  type: ResponseType,
  status: number,
  detail: string,
  headers?: Readonly<Record<string, string>>,
): GatewayProblem {
  const title = STATUS_CODES[status];
  if (title === undefined) throw new Error(`no status code ${status}`);
  return { type, status, title, detail, ...(headers ? { headers } : {}) };
}
