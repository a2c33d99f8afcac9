import { Aws, Lazy, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  CfnAccount,
  CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../../lambdas/api/http/request.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Pipeline } from '../pipeline.ts';
import type { ServiceFunction } from '../service-function.ts';
import { API_STAGE } from '../stages.ts';
import type { Foundation } from '../stateful-stack.ts';
import { toRemovalPolicy } from '../storage.ts';
import type { Webhooks } from '../webhooks.ts';
import { type ApiFunctions, createApiFunctions } from './api-functions.ts';
import { CustomDomain, TLS } from './custom-domain.ts';
import { allowOnlyFrom, Firewall } from './firewall.ts';
import { addProblemResponses } from './problem-responses.ts';
import { ApiIntegrations, addRoutes } from './routes.ts';

export interface ApiProps {
  readonly foundation: Foundation;
  readonly pipeline: Pipeline;
  readonly webhooks: Webhooks;
}

interface SharedParts {
  readonly config: StageConfig;
  readonly functions: ApiFunctions;
  readonly integrations: ApiIntegrations;
  readonly accessLogs: Readonly<Record<Deployment, LogGroup>>;
}

/**
 * V1 and V2: two REST APIs over the same functions, which distinguish them by stage variables. (If the functions'
 * environment had the APIs' URLs, the functions and the APIs would depend on each other.)
 */
export class Api extends Construct {
  readonly v1: RestApi;
  readonly v2: RestApi;
  /** These URLs have no trailing slash. */
  readonly baseUrls: Readonly<Record<Deployment, string>>;
  readonly functions: readonly ServiceFunction[];
  /** One of `functions`; alarms and graphs treat its errors separately. */
  readonly authorizer: ServiceFunction;
  /** The access logs of V1 and V2. Each has a line for every request, including those that the gateway rejects. */
  readonly accessLogs: readonly LogGroup[];

  constructor(scope: Construct, id: string, { foundation, pipeline, webhooks }: ApiProps) {
    super(scope, id);
    const { config } = foundation;
    const functions = createApiFunctions(this, foundation, pipeline, webhooks);
    this.functions = Object.values(functions);
    this.authorizer = functions.authorizer;
    const logging = config.apiLogRole === 'set' ? this.allowAccessLogs() : undefined;

    const integrations = new ApiIntegrations(this, 'Caller', { functions: this.functions });
    const accessLogs = {
      v1: createAccessLogGroup(this, 'V1', config),
      v2: createAccessLogGroup(this, 'V2', config),
    };
    this.accessLogs = Object.values(accessLogs);
    const shared = { config, functions, integrations, accessLogs };
    this.v2 = this.addApi('v2', shared);
    const v2 = findBaseUrl(this.v2, config, 'v2');
    this.v1 = this.addApi('v1', shared, { v2_url: v2 });
    this.baseUrls = { v1: findBaseUrl(this.v1, config, 'v1'), v2 };

    const apis = [this.v1, this.v2];
    if (logging !== undefined) {
      for (const { deploymentStage } of apis) deploymentStage.node.addDependency(logging);
    }
    if (config.firewall === 'on') new Firewall(this, 'Firewall', { apis });
  }

  private addApi(
    deployment: Deployment,
    { config, functions, integrations, accessLogs }: SharedParts,
    variables: Readonly<Record<string, string>> = {},
  ): RestApi {
    const id = deployment.toUpperCase();
    const api: RestApi = new RestApi(this, id, {
      // CloudWatch groups request metrics by this name, so it must differ between stages of one account.
      restApiName: `${Stack.of(this).stackName}-${id}`,
      description: `Soil Batch ${config.stage} ${id}`,
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: config.domains !== undefined,
      ...(config.allowedNetworks ? { policy: allowOnlyFrom(config.allowedNetworks) } : {}),
      // This passes every body as the exact bytes sent, in base64.
      binaryMediaTypes: ['*/*'],
      minCompressionSize: Size.bytes(1_024),
      deployOptions: {
        stageName: API_STAGE,
        variables: {
          deployment,
          // The value is lazy, because the URL contains the ID of the API.
          base_url: Lazy.string({ produce: () => findBaseUrl(api, config, deployment) }),
          ...formatCorsOrigins(config),
          ...variables,
        },
        throttlingRateLimit: config.throttling.requestsPerSecond,
        throttlingBurstLimit: config.throttling.burst,
        methodOptions: {
          // A method's settings replace all settings of its stage.
          '/v1/batch/POST': {
            throttlingRateLimit: config.throttling.creations.requestsPerSecond,
            throttlingBurstLimit: config.throttling.creations.burst,
          },
        },
        tracingEnabled: true,
        // Detailed metrics are billed per method, and the access log has the same data.
        metricsEnabled: false,
        accessLogDestination: new LogGroupLogDestination(accessLogs[deployment]),
        accessLogFormat: ACCESS_LOG,
      },
    });
    // An API with a custom domain needs a TLS policy too, because the domain's policy does not apply to the API. The
    // construct has no properties for it.
    const { defaultChild } = api.node;
    if (defaultChild instanceof CfnRestApi) Object.assign(defaultChild, TLS);
    addRoutes(api, functions, integrations);
    if (config.domains) {
      const { hostedZone, ...domains } = config.domains;
      new CustomDomain(this, `${id}Domain`, {
        api,
        domain: domains[deployment],
        ...(hostedZone ? { zone: hostedZone } : {}),
      });
    }
    addProblemResponses(api, findBaseUrl(api, config, deployment), config.corsOrigins);
    return api;
  }

  /** API Gateway writes access logs with one role per account and Region. */
  private allowAccessLogs(): CfnAccount {
    const role = new Role(this, 'AccessLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // The account's setting outlives the stack, and so must its role, because other APIs of the account may use both.
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return account;
  }
}

/** The log of who called with which key is evidence, so it outlives the stack in production. */
function createAccessLogGroup(scope: Construct, id: string, config: StageConfig): LogGroup {
  return new LogGroup(scope, `${id}AccessLogs`, {
    retention: config.logRetentionDays,
    removalPolicy: toRemovalPolicy(config),
  });
}

function findBaseUrl(
  api: RestApi,
  { baseUrls, domains }: StageConfig,
  deployment: Deployment,
): string {
  if (domains !== undefined) return `https://${domains[deployment].host}`;
  // `api.url` cannot be used, because it ends with a slash and depends on the stage, which contains this value.
  return (
    baseUrls?.[deployment] ??
    `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${API_STAGE}`
  );
}

/** Joins the origins; a stage variable cannot contain "*". */
function formatCorsOrigins({ corsOrigins }: StageConfig): Readonly<Record<string, string>> {
  if (corsOrigins.length === 0) return {};
  return { cors_origins: corsOrigins === 'any' ? 'any' : corsOrigins.join(',') };
}

/** The log has neither query strings (cursors) nor headers (keys), so it contains no secrets. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    // This is the only record of who used a leaked key, because CloudTrail does not log requests of an API's clients.
    source_ip: AccessLogField.contextIdentitySourceIp(),
    request_id: AccessLogField.contextRequestId(),
    // A client may choose `request_id` with the header `x-amzn-RequestId`, so several requests may share it.
    extended_request_id: AccessLogField.contextExtendedRequestId(),
    time: AccessLogField.contextRequestTime(),
    method: AccessLogField.contextHttpMethod(),
    resource: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    tenant: AccessLogField.contextAuthorizer('tenant'),
    key_id: AccessLogField.contextAuthorizer('key_id'),
    response_bytes: AccessLogField.contextResponseLength(),
    latency_ms: AccessLogField.contextResponseLatency(),
    integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    error: AccessLogField.contextErrorResponseType(),
  }),
);
