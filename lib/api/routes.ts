import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  AwsIntegration,
  IdentitySource,
  type MethodOptions,
  RequestAuthorizer,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import {
  type IRole,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { NAMED_ROUTES } from '../../lambdas/api/routes.ts';
import type { ServiceFunction } from '../service-function.ts';
import type { ApiFunctions } from './api-functions.ts';

/**
 * The cancellation, and the operations that need an API key and are served by a function other than `batches`. The
 * gateway throttles each method of a resource separately, so polls do not use up the limits of these operations.
 * `api.ts` sets another limit for creations.
 */
const OWN_ROUTES = NAMED_ROUTES.filter(
  ({ handler, name }) => (handler !== 'batches' && handler !== 'open') || name === 'cancel-batch',
);

/**
 * Whole trees of paths, which the functions route by the definitions of operations, so that a new operation adds no
 * resource. The paths of one batch have a separate tree, because the gateway does not necessarily fall back from them
 * to `/v1/{proxy+}`. V1 has the routes of V2 too; their operations respond there with the URL on V2.
 */
const TREES = [
  '/v1',
  '/v1/{proxy+}',
  '/v1/batch/{batch_id}',
  '/v1/batch/{batch_id}/{proxy+}',
  '/v1/webhooks',
] as const;

/**
 * Adds the routes. Under `/v1` everything needs a key except OPTIONS, which browsers send without one. A trailing slash
 * needs no route, because the gateway matches `/v1/batch/` to `/v1/batch` and passes the path on as sent.
 */
export function addRoutes(
  api: RestApi,
  functions: ApiFunctions,
  integrations: ApiIntegrations,
): void {
  const keyed: MethodOptions = {
    authorizer: createKeyAuthorizer(api, functions.authorizer, integrations),
    authorizationType: AuthorizationType.CUSTOM,
  };
  const keyless: MethodOptions = { authorizationType: AuthorizationType.NONE };
  const open = integrations.obtainIntegration(functions.open);
  const batches = integrations.obtainIntegration(functions.batches);
  for (const path of [...OWN_ROUTES.map((route) => route.path), ...TREES]) {
    const resource = api.root.resourceForPath(path);
    resource.addMethod('ANY', batches, keyed);
    resource.addMethod('OPTIONS', open, keyless);
  }
  for (const { method, path, handler } of OWN_ROUTES) {
    const own = integrations.obtainIntegration(functions[handler]);
    api.root.resourceForPath(path).addMethod(method, own, keyed);
  }
  for (const path of ['/', '/{proxy+}']) {
    api.root.resourceForPath(path).addMethod('ANY', open, keyless);
  }
}

/**
 * Creates the authorizer that finds the tenant of a key. The gateway caches the authorizer's result for a minute by the
 * whole header, so the policy in the result covers the whole API.
 */
function createKeyAuthorizer(
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

export interface ApiIntegrationsProps {
  readonly functions: readonly ServiceFunction[];
}

/**
 * The Lambda integrations of both APIs, and the role with which API Gateway invokes all their functions. One policy
 * replaces a permission resource per function and API.
 * https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html
 */
export class ApiIntegrations extends Construct {
  readonly role: IRole;

  constructor(scope: Construct, id: string, { functions }: ApiIntegrationsProps) {
    super(scope, id);
    const invoke = new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: functions.map(({ functionArn }) => functionArn),
    });
    this.role = new Role(this, 'Role', {
      // There is no source condition, because API Gateway sends no source and every request would fail.
      // https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/pull/479
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { call: new PolicyDocument({ statements: [invoke] }) },
      // Without this call, the CDK would repeat the permission for the authorizer of each API.
    }).withoutPolicyUpdates();
  }

  obtainIntegration({ functionArn }: ServiceFunction): AwsIntegration {
    return new AwsIntegration({
      service: 'lambda',
      proxy: true,
      path: `2015-03-31/functions/${functionArn}/invocations`,
      options: { credentialsRole: this.role },
    });
  }
}
