import { Aws, Lazy, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  CfnAccount,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { reachableFrom } from './allowed-networks.ts';
import { type ApiFunctions, apiFunctions } from './api-functions.ts';
import { Caller } from './caller.ts';
import type { StageConfig } from './config/stage-config.ts';
import { CustomDomain } from './custom-domain.ts';
import { Firewall } from './firewall.ts';
import type { Foundation } from './foundation.ts';
import { GradualRollout } from './gradual-rollout.ts';
import type { Pipeline } from './pipeline.ts';
import { addProblemResponses } from './problem-responses.ts';
import { addRoutes } from './routes.ts';
import type { ServiceFunction } from './service-function.ts';
import { API_STAGE } from './stages.ts';
import type { Webhooks } from './webhooks.ts';

export type Deployment = 'v1' | 'v2';

export interface ApiProps {
  readonly foundation: Foundation;
  /** What a created batch is handed to. */
  readonly pipeline: Pipeline;
  /** Where redeliveries are asked for. */
  readonly webhooks: Webhooks;
}

/** What stands behind both APIs alike. */
interface Behind {
  readonly config: StageConfig;
  readonly functions: ApiFunctions;
  readonly caller: Caller;
  readonly accessLogs: Readonly<Record<Deployment, LogGroup>>;
}

/**
 * V1 and V2: two REST APIs over the same functions, which tell them apart by stage variables. (In the
 * functions' environment an API's URL would depend on functions that depend on it.)
 */
export class Api extends Construct {
  readonly v1: RestApi;
  readonly v2: RestApi;
  /** Base addresses without a trailing slash. */
  readonly addresses: Readonly<Record<Deployment, string>>;
  readonly functions: readonly ServiceFunction[];
  /** One of the functions. */
  readonly authorizer: ServiceFunction;
  /** Of V1 and V2: one line a request, what the gateway refuses included. */
  readonly accessLogs: readonly LogGroup[];

  constructor(scope: Construct, id: string, { foundation, pipeline, webhooks }: ApiProps) {
    super(scope, id);
    const { config } = foundation;
    const functions = apiFunctions(this, foundation, pipeline.batches, webhooks);
    this.functions = Object.values(functions);
    this.authorizer = functions.authorizer;
    const logging = this.allowAccessLogs();

    const { rollout: pace } = config;
    const rollout = pace === 'at-once' ? undefined : new GradualRollout(this, 'Rollout');
    const { authorizer: _, ...operations } = functions;
    const caller = new Caller(this, 'Caller', { functions: Object.values(operations), rollout });
    const accessLogs = {
      v1: accessLogGroup(this, 'V1', config),
      v2: accessLogGroup(this, 'V2', config),
    };
    this.accessLogs = Object.values(accessLogs);
    const behind = { config, functions, caller, accessLogs };
    this.v2 = this.addApi('v2', behind);
    const v2 = addressOf(this.v2, config, 'v2');
    this.v1 = this.addApi('v1', behind, { v2_url: v2 });
    this.addresses = { v1: addressOf(this.v1, config, 'v1'), v2 };

    const apis = [this.v1, this.v2];
    for (const api of apis) api.deploymentStage.node.addDependency(logging);
    if (pace !== 'at-once') rollout?.watchedBy(apis, pace, config);
    if (config.firewall === 'on') new Firewall(this, 'Firewall', { apis });
  }

  private addApi(
    deployment: Deployment,
    { config, functions, caller, accessLogs }: Behind,
    variables: Readonly<Record<string, string>> = {},
  ): RestApi {
    const id = deployment.toUpperCase();
    const api: RestApi = new RestApi(this, id, {
      // AWS measures requests by this name: stages of one account must not share it.
      restApiName: `${Stack.of(this).stackName}-${id}`,
      description: `Soil batch ${config.stage} ${id}`,
      endpointTypes: [EndpointType.REGIONAL],
      // With a host of its own an API has no second door.
      disableExecuteApiEndpoint: config.domains !== undefined,
      ...(config.allowedNetworks ? { policy: reachableFrom(config.allowedNetworks) } : {}),
      // Every body arrives as the exact bytes that were sent, in base64.
      binaryMediaTypes: ['*/*'],
      minCompressionSize: Size.bytes(1_024),
      deployOptions: {
        stageName: API_STAGE,
        variables: {
          deployment,
          // Lazy, because it contains the id of the API that is being made.
          base_url: Lazy.string({ produce: () => addressOf(api, config, deployment) }),
          ...corsVariable(config),
          ...variables,
        },
        throttlingRateLimit: config.throttling.requestsPerSecond,
        throttlingBurstLimit: config.throttling.burst,
        methodOptions: {
          // A method's settings take the place of all of its stage's.
          '/v1/batch/POST': {
            throttlingRateLimit: config.throttling.creations.requestsPerSecond,
            throttlingBurstLimit: config.throttling.creations.burst,
          },
        },
        tracingEnabled: true,
        // Detailed metrics are billed for each method; the access log has the same figures.
        metricsEnabled: false,
        accessLogDestination: new LogGroupLogDestination(accessLogs[deployment]),
        accessLogFormat: ACCESS_LOG,
      },
    });
    addRoutes(api, functions, caller);
    if (config.domains) {
      const { hostedZone, ...domains } = config.domains;
      new CustomDomain(this, `${id}Domain`, {
        api,
        domain: domains[deployment],
        ...(hostedZone ? { zone: hostedZone } : {}),
      });
    }
    addProblemResponses(api, addressOf(api, config, deployment), config.corsOrigins);
    return api;
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

function accessLogGroup(
  scope: Construct,
  id: string,
  { logRetentionDays: retention }: StageConfig,
): LogGroup {
  return new LogGroup(scope, `${id}AccessLogs`, {
    retention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}

function addressOf(
  api: RestApi,
  { addresses, domains }: StageConfig,
  deployment: Deployment,
): string {
  if (domains !== undefined) return `https://${domains[deployment].host}`;
  // Not `api.url`: that one ends with a slash and depends on the stage, which holds this text.
  return (
    addresses?.[deployment] ??
    `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${API_STAGE}`
  );
}

/** A stage variable has no "*". */
function corsVariable({ corsOrigins }: StageConfig): Readonly<Record<string, string>> {
  if (corsOrigins.length === 0) return {};
  return { cors_origins: corsOrigins === 'any' ? 'any' : corsOrigins.join(',') };
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
