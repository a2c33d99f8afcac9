import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  IdentitySource,
  type IResource,
  type MethodOptions,
  RequestAuthorizer,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { OPERATIONS } from '../../lambdas/api/definitions/operations.ts';
import type { ServiceFunction } from '../service-function.ts';
import type { ApiFunctions } from './api-functions.ts';
import type { ApiIntegrations } from './api-integrations.ts';

/**
 * V1 has the routes of V2 too: their functions respond there with the URL on V2. A trailing slash needs
 * no route: the gateway matches `/v1/batch/` to `/v1/batch` and passes the path on as sent.
 */
export function addRoutes(
  api: RestApi,
  functions: ApiFunctions,
  integrations: ApiIntegrations,
): void {
  const keyed: MethodOptions = {
    authorizer: keyAuthorizer(api, functions.authorizer, integrations),
    authorizationType: AuthorizationType.CUSTOM,
  };
  const open: MethodOptions = { authorizationType: AuthorizationType.NONE };
  for (const { method, path, handler, auth } of OPERATIONS) {
    const resource = api.root.resourceForPath(path);
    const integration = integrations.integrationOf(functions[handler]);
    if (auth === 'none') {
      // One method for all: the functions that need no key respond with 405 themselves. A stack has at
      // most 500 resources.
      resource.addMethod('ANY', integration, open);
      continue;
    }
    resource.addMethod(method, integration, keyed);
    if (method === 'GET') resource.addMethod('HEAD', integration, keyed);
  }
  const keyless = new Set<string>(
    OPERATIONS.flatMap(({ path, auth }) => (auth === 'none' ? [path] : [])),
  );
  // Without a key, so that a client with a wrong path gets 404, not 401. The open function knows only the
  // operations, which are public.
  api.root.addResource('{proxy+}');
  const fallback = integrations.integrationOf(functions.open);
  for (const resource of resourcesOf(api)) {
    if (!keyless.has(resource.path)) resource.addMethod('ANY', fallback, open);
  }
}

function resourcesOf(api: RestApi): readonly IResource[] {
  return [api.root, ...api.root.node.findAll().filter(isResource)];
}

function isResource(construct: unknown): construct is IResource {
  return construct instanceof Resource;
}

/**
 * Finds the tenant of a key. The gateway caches the result for a minute by the whole header, so its policy
 * covers the whole API.
 */
function keyAuthorizer(
  api: RestApi,
  authorizer: ServiceFunction,
  integrations: ApiIntegrations,
): RequestAuthorizer {
  return new RequestAuthorizer(api, 'Authorizer', {
    handler: authorizer,
    assumeRole: integrations.role,
    identitySources: [IdentitySource.header('Authorization')],
    resultsCacheTtl: Duration.seconds(60),
  });
}
