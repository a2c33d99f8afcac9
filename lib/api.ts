import { Aws, Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  AuthorizationType,
  CfnAccount,
  EndpointType,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodOptions,
  RequestAuthorizer,
  Resource,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StageConfig } from './config.ts';
import {
  authorizer,
  batchStatus,
  createBatch,
  type Foundation,
  health,
  jobStatus,
  patchBatchStatus,
} from './permissions.ts';
import type { Pipeline } from './pipeline.ts';
import { addProblemResponses } from './problem-responses.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** The gateway's stage: the first part of its own addresses. */
const STAGE = 'live';

export type Deployment = 'v1' | 'v2';

export interface ApiProps {
  readonly foundation: Foundation;
  /** What a created batch is handed to. */
  readonly pipeline: Pipeline;
}

/**
 * V1 and V2: two REST APIs over the same functions, which tell them apart by a stage variable. (In
 * the functions' environment an API's address would depend on functions that depend on it.)
 */
export class Api extends Construct {
  readonly v1: RestApi;
  readonly v2: RestApi;
  /** Base addresses without a trailing slash. */
  readonly addresses: Readonly<Record<Deployment, string>>;
  readonly functions: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, { foundation, pipeline }: ApiProps) {
    super(scope, id);
    const { config } = foundation;
    const operation = (id: string, props: Omit<ServiceFunctionProps, 'config' | 'memoryMb'>) =>
      new ServiceFunction(this, id, { config, memoryMb: config.memoryMb.api, ...props });

    const functions = {
      authorizer: operation('Authorizer', {
        handler: 'api/authorizer',
        description: 'Finds the tenant of an API key',
        access: authorizer(foundation),
        timeout: Duration.seconds(10),
      }),
      createBatch: operation('CreateBatch', {
        handler: 'api/create-batch',
        description: 'POST /v1/batch',
        access: createBatch(foundation, pipeline.batches),
      }),
      batchStatus: operation('BatchStatus', {
        handler: 'api/batch-status',
        description: 'GET /v1/batch/{batch_id}/status',
        access: batchStatus(foundation),
      }),
      jobStatus: operation('JobStatus', {
        handler: 'api/job-status',
        description: 'GET /v1/batch/{batch_id}/jobs/{job_id}/status (V2)',
        access: jobStatus(foundation),
      }),
      patchBatchStatus: operation('PatchBatchStatus', {
        handler: 'api/patch-batch-status',
        description: 'GET …/jobs/{job_id}/patches/{patch_batch_idx}/status (V2)',
        access: patchBatchStatus(foundation),
      }),
      health: operation('Health', {
        handler: 'api/health',
        description: 'GET /health',
        access: health(foundation),
      }),
      fallback: operation('Fallback', {
        handler: 'api/fallback',
        description: '404 and 405 for every address and method that is no operation',
        access: [],
      }),
    };
    this.functions = Object.values(functions);

    const logging = this.allowAccessLogs();
    const deploy = (deployment: Deployment, variables: Record<string, string> = {}): RestApi => {
      const api = new RestApi(this, deployment.toUpperCase(), {
        description: `Soil batch ${config.stage} ${deployment.toUpperCase()}`,
        endpointTypes: [EndpointType.REGIONAL],
        // Every body arrives as the exact bytes that were sent, in base64.
        binaryMediaTypes: ['*/*'],
        minCompressionSize: Size.bytes(1_024),
        deployOptions: {
          stageName: STAGE,
          variables: {
            deployment,
            // Behind a proxy no event tells the address that clients used.
            ...(config.addresses ? { base_url: config.addresses[deployment] } : {}),
            ...variables,
          },
          throttlingRateLimit: config.throttling.requestsPerSecond,
          throttlingBurstLimit: config.throttling.burst,
          tracingEnabled: true,
          metricsEnabled: true,
          accessLogDestination: new LogGroupLogDestination(
            new LogGroup(this, `${deployment.toUpperCase()}AccessLogs`, {
              retention: config.logRetentionDays,
              removalPolicy: RemovalPolicy.DESTROY,
            }),
          ),
          accessLogFormat: ACCESS_LOG,
        },
      });
      addRoutes(api, functions, { authorizer: keyAuthorizer(api, functions.authorizer) });
      addProblemResponses(api, addressOf(api, config, deployment));
      api.deploymentStage.node.addDependency(logging);
      return api;
    };

    this.v2 = deploy('v2');
    const v2 = addressOf(this.v2, config, 'v2');
    this.v1 = deploy('v1', { v2_url: v2 });
    this.addresses = { v1: addressOf(this.v1, config, 'v1'), v2 };
  }

  /** API Gateway writes access logs by one role, set once for the account and region. */
  private allowAccessLogs(): CfnAccount {
    const role = new Role(this, 'AccessLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // The setting outlives the stack, so its role must: other APIs of the account write by it too.
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return account;
  }
}

type Routes = Readonly<
  Record<
    'createBatch' | 'batchStatus' | 'jobStatus' | 'patchBatchStatus' | 'health' | 'fallback',
    ServiceFunction
  >
>;

/**
 * V1 has the routes of V2 too: their functions answer there that they exist on V2. A trailing slash
 * needs no route: the gateway matches `/v1/batch/` to `/v1/batch` and hands on the path as sent.
 */
function addRoutes(
  api: RestApi,
  functions: Routes,
  withKey: Pick<MethodOptions, 'authorizer'>,
): void {
  const keyed: MethodOptions = { ...withKey, authorizationType: AuthorizationType.CUSTOM };
  const open: MethodOptions = { authorizationType: AuthorizationType.NONE };
  const to = (fn: ServiceFunction) =>
    // One permission an API; one a method would outgrow the function's policy (20 kB).
    new LambdaIntegration(fn, { scopePermissionToMethod: false });

  const batches = api.root.resourceForPath('/v1/batch');
  batches.addMethod('POST', to(functions.createBatch), keyed);

  const batch = batches.addResource('{batch_id}');
  const get = (resource: IResource, fn: ServiceFunction, options: MethodOptions) => {
    // HEAD is GET without the body (RFC 9110, section 9.3.2): the same function answers it.
    for (const method of ['GET', 'HEAD']) resource.addMethod(method, to(fn), options);
  };
  get(batch.addResource('status'), functions.batchStatus, keyed);

  const job = batch.resourceForPath('jobs/{job_id}');
  get(job.addResource('status'), functions.jobStatus, keyed);
  get(job.resourceForPath('patches/{patch_batch_idx}/status'), functions.patchBatchStatus, keyed);

  get(api.root.addResource('health'), functions.health, open);

  // Without a key: whoever mistypes an address learns that, not that a key is missing. The function
  // knows the route table, which the docs show to everybody.
  api.root.addResource('{proxy+}');
  const fallback = to(functions.fallback);
  for (const resource of resourcesOf(api)) resource.addMethod('ANY', fallback, open);
}

function resourcesOf(api: RestApi): readonly IResource[] {
  return [api.root, ...api.root.node.findAll().filter(isResource)];
}

function isResource(construct: unknown): construct is IResource {
  return construct instanceof Resource;
}

/**
 * The key's tenant, asked of a function and remembered for a minute by the whole header: its policy
 * therefore names the whole API.
 */
function keyAuthorizer(api: RestApi, handler: ServiceFunction): RequestAuthorizer {
  return new RequestAuthorizer(api, 'Authorizer', {
    handler,
    identitySources: [IdentitySource.header('Authorization')],
    resultsCacheTtl: Duration.seconds(60),
  });
}

function addressOf(api: RestApi, { addresses }: StageConfig, deployment: Deployment): string {
  // Not `api.url`: that one ends with a slash and depends on the stage, which holds this text.
  return (
    addresses?.[deployment] ??
    `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`
  );
}

/** No query string (cursors) and no header (keys): what is logged can be shown to anyone. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    request_id: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    method: AccessLogField.contextHttpMethod(),
    resource: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    tenant: AccessLogField.contextAuthorizer('tenant'),
    response_bytes: AccessLogField.contextResponseLength(),
    latency_ms: AccessLogField.contextResponseLatency(),
    integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    error: AccessLogField.contextErrorResponseType(),
  }),
);
