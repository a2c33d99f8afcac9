import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { dynamoApiKeys } from '../../adapters/dynamodb/api-keys.ts';
import { openTable } from '../../adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { environment } from '../../adapters/environment.ts';
import { type AuthenticatePorts, authenticate } from '../../domain/tenant/authenticate.ts';

type Authorize = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

/**
 * Answers with a policy over the whole API, for the gateway keeps it for every later call, and with
 * what the functions need to know of the tenant.
 */
export function authorizerOf(ports: AuthenticatePorts): Authorize {
  return async (event) => {
    const key = bearerToken(event);
    const found = key === null ? null : await authenticate(ports, key);
    // The gateway turns exactly this message into a 401.
    if (found === null || found.kind === 'unknown') throw new Error('Unauthorized');
    return {
      principalId: found.tenant,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: found.kind === 'tenant' ? 'Allow' : 'Deny',
            Resource: wholeApi(event.methodArn),
          },
        ],
      },
      context: {
        tenant: found.tenant,
        ...(found.kind === 'tenant' ? { requests_per_minute: found.requestsPerMinute } : {}),
      },
    };
  };
}

/** RFC 6750 section 2.1; one header only, whatever the spelling of its name. */
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

/** `arn:…:<api>/<stage>/GET/v1/…` → `arn:…:<api>/<stage>/*` */
function wholeApi(methodArn: string): string {
  return `${methodArn.split('/').slice(0, 2).join('/')}/*`;
}

let authorize: Authorize | undefined;

export const handler: Authorize = (event) => {
  authorize ??= authorizerFromEnvironment();
  return authorize(event);
};

function authorizerFromEnvironment(): Authorize {
  const table = openTable(environment('TABLE_NAME').TABLE_NAME);
  return authorizerOf({
    keys: dynamoApiKeys(table),
    tenants: dynamoTenantRecords(table),
    clock: () => new Date(),
  });
}
