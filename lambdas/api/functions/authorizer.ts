import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import {
  type AuthenticatePorts,
  type Authentication,
  authenticate,
} from '../../domain/tenant/api-key.ts';
import { type Log, log, toLoggedFault } from '../../observability/log.ts';
import { stores } from '../../wiring.ts';

type Authorize = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

/**
 * Returns the tenant's data and a policy. The policy allows or denies the whole API, because the gateway caches it for
 * all paths. The authorizer logs only its own faults, because alarms count these lines, and a request without a valid
 * key must not cause an alarm.
 */
export function createAuthorizer(open: () => AuthenticatePorts, write: Log = log): Authorize {
  let ports: AuthenticatePorts | undefined;

  async function authenticateEvent(
    event: APIGatewayRequestAuthorizerEvent,
  ): Promise<Authentication> {
    const startedAt = performance.now();
    try {
      ports ??= open();
      const key = bearerToken(event);
      return key === null ? { kind: 'unknown' } : await authenticate(ports, key);
    } catch (error) {
      write('error', 'authorizer', {
        request_id: event.requestContext.requestId,
        outcome: 'threw',
        duration_ms: Math.round(performance.now() - startedAt),
        fault: toLoggedFault(error),
      });
      throw error;
    }
  }

  return async (event) => {
    const authentication = await authenticateEvent(event);
    // The gateway turns exactly this message into a 401, and AWS counts the throw as an error of the function.
    if (authentication.kind === 'unknown') throw new Error('Unauthorized');
    return {
      principalId: authentication.tenant,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: authentication.kind === 'tenant' ? 'Allow' : 'Deny',
            Resource: toWholeApiArn(event.methodArn),
          },
        ],
      },
      context: {
        tenant: authentication.tenant,
        // For the access log.
        key_id: authentication.keyId,
        ...(authentication.kind === 'tenant'
          ? { requests_per_minute: authentication.requestsPerMinute }
          : {}),
      },
    };
  };
}

/** Reads the token (RFC 6750, section 2.1). The header name is case-insensitive; more than one header is rejected. */
function bearerToken(event: APIGatewayRequestAuthorizerEvent): string | null {
  const values = valuesOf(event.multiValueHeaders, event.headers);
  const [value] = values;
  if (value === undefined || values.length > 1) return null;
  return /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? null;
}

function valuesOf(
  multi: APIGatewayRequestAuthorizerEvent['multiValueHeaders'],
  single: APIGatewayRequestAuthorizerEvent['headers'],
): readonly string[] {
  const lists = Object.entries(multi ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, values]) => values ?? []);
  if (lists.length > 0) return lists;
  return Object.entries(single ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, value]) => (value === undefined ? [] : [value]));
}

/** Turns `arn:…:<api>/<stage>/GET/v1/…` into `arn:…:<api>/<stage>/*`. */
function toWholeApiArn(methodArn: string): string {
  return `${methodArn.split('/').slice(0, 2).join('/')}/*`;
}

export const handler = createAuthorizer(stores);
