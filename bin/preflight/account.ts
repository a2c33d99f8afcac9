import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { GetAccountSummaryCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  paginateListAWSDefaultServiceQuotas,
  paginateListServiceQuotas,
  type ServiceQuota,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { type StageName, stackNames } from '../../lib/stages.ts';
import type { Connection } from '../operator/stage-table.ts';
import { type AlarmTopic, readAlarmTopic } from './alarm-topic.ts';
import { BOOTSTRAP } from './bootstrap.ts';
import { readBoundary, readEventBus, readPublicKeys } from './named-resources.ts';
import { readForbidden } from './organisation.ts';
import { type ReadResult, tryRead } from './read-result.ts';

/** Lambda's quotas and their use. */
export interface Functions {
  /** Concurrent executions of the account in the region. */
  readonly concurrency: number;
  /** The part of `concurrency` that other functions have reserved. */
  readonly reserved: number;
  /**
   * The most executions at a time in two weeks of the functions without reserved concurrency, those of the
   * stage included; 0 if none ran.
   */
  readonly busiest: number;
  readonly codeBytes: number;
  readonly maxCodeBytes: number;
}

/** State of an account and a region before the service is deployed there. */
export interface Account {
  readonly region: string;
  readonly functions: ReadResult<Functions>;
  /** Null if Service Quotas does not list it. */
  readonly openMapRuns: ReadResult<number | null>;
  /** Of STANDARD state machines, per second. */
  readonly transitions: ReadResult<number | null>;
  readonly regionalApis: ReadResult<number | null>;
  /** The role with which API Gateway logs for all APIs of the account and region; null if none is set. */
  readonly logRole: ReadResult<string | null>;
  /** Version of the CDK's bootstrap stack; null if there is none. */
  readonly bootstrap: ReadResult<number | null>;
  readonly users: ReadResult<{ readonly used: number; readonly quota: number }>;
  /** Actions that the deployment needs and a service control policy forbids, as far as IAM can tell. */
  readonly forbidden: ReadResult<readonly string[]>;
  /** Status of the stage's existing stacks, by name. */
  readonly stacks: ReadResult<Readonly<Record<string, string>>>;
  /** The topic that the configuration names; null if it names none. */
  readonly alarmTopic: ReadResult<AlarmTopic | null>;
  /** Whether the event bus and the boundary of the configuration exist; null if it names none. */
  readonly eventBus: ReadResult<boolean | null>;
  readonly boundary: ReadResult<boolean | null>;
  /** Public keys of CloudFront, whose quota is of the account; null if the stage needs none. */
  readonly publicKeys: ReadResult<number | null>;
}

/** State transitions have two quotas; this matches the rate, not the burst. */
const TRANSITIONS = /^(?=.*state ?transition)(?=.*refill)/i;

/** Reads only. */
export async function readAccount(
  stageConnection: Connection,
  region: string,
  config: StageConfig,
): Promise<Account> {
  const { stage, alarms } = config;
  const connection = { ...stageConnection, region };
  const [
    functions,
    logRole,
    openMapRuns,
    transitions,
    regionalApis,
    bootstrap,
    users,
    forbidden,
    stacks,
    alarmTopic,
    eventBus,
    boundary,
    publicKeys,
  ] = await Promise.all([
    tryRead(() => readFunctions(new LambdaClient(connection), new CloudWatchClient(connection))),
    tryRead(() => readLogRole(new APIGatewayClient(connection))),
    tryRead(() => readQuota(new ServiceQuotasClient(connection), 'states', /open map run/i)),
    tryRead(() => readQuota(new ServiceQuotasClient(connection), 'states', TRANSITIONS)),
    tryRead(() => readQuota(new ServiceQuotasClient(connection), 'apigateway', /^regional apis/i)),
    tryRead(() => readBootstrap(new CloudFormationClient(connection))),
    tryRead(() => readUsers(new IAMClient(connection))),
    tryRead(() => readForbidden(connection)),
    tryRead(() => readStacks(new CloudFormationClient(connection), stage)),
    tryRead(() => readAlarmTopic(connection, alarms.topicArn)),
    tryRead(() => readEventBus(connection, config)),
    tryRead(() => readBoundary(connection, config)),
    tryRead(() => readPublicKeys(connection, config)),
  ]);
  const quotas = { functions, openMapRuns, transitions, regionalApis, users };
  const named = { alarmTopic, eventBus, boundary };
  return { region, ...quotas, publicKeys, logRole, bootstrap, forbidden, stacks, ...named };
}

async function readFunctions(lambda: LambdaClient, metrics: CloudWatchClient): Promise<Functions> {
  const [{ AccountLimit, AccountUsage }, busiest] = await Promise.all([
    lambda.send(new GetAccountSettingsCommand({})),
    readBusiest(metrics, new Date()),
  ]);
  const concurrency = AccountLimit?.ConcurrentExecutions;
  const maxCodeBytes = AccountLimit?.TotalCodeSize;
  if (concurrency === undefined || maxCodeBytes === undefined) {
    throw new Error('Lambda returned no limits');
  }
  const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? concurrency;
  return {
    concurrency,
    reserved: concurrency - unreserved,
    busiest,
    maxCodeBytes,
    codeBytes: AccountUsage?.TotalCodeSize ?? 0,
  };
}

const DAYS_BACK = 14;
const DAY_SECONDS = 86_400;

/**
 * Without dimensions, the metric is of the region. `ConcurrentExecutions` would count executions of
 * functions with reserved concurrency again.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 */
async function readBusiest(client: CloudWatchClient, now: Date): Promise<number> {
  const { Datapoints = [] } = await client.send(
    new GetMetricStatisticsCommand({
      Namespace: 'AWS/Lambda',
      MetricName: 'UnreservedConcurrentExecutions',
      Statistics: ['Maximum'],
      Period: DAY_SECONDS,
      StartTime: new Date(now.getTime() - DAYS_BACK * DAY_SECONDS * 1_000),
      EndTime: now,
    }),
  );
  return Math.max(0, ...Datapoints.map(({ Maximum = 0 }) => Maximum));
}

async function readLogRole(client: APIGatewayClient): Promise<string | null> {
  const { cloudwatchRoleArn = '' } = await client.send(new GetAccountCommand({}));
  return cloudwatchRoleArn === '' ? null : cloudwatchRoleArn;
}

/** The value applied to the account; the default of Service Quotas if there is none. */
async function readQuota(
  client: ServiceQuotasClient,
  ServiceCode: string,
  name: RegExp,
): Promise<number | null> {
  const find = (quotas: readonly ServiceQuota[]) =>
    quotas.find(({ QuotaName = '' }) => name.test(QuotaName))?.Value;
  for (const paginate of [paginateListServiceQuotas, paginateListAWSDefaultServiceQuotas]) {
    for await (const { Quotas = [] } of paginate({ client }, { ServiceCode })) {
      const value = find(Quotas);
      if (value !== undefined) return value;
    }
  }
  return null;
}

async function readBootstrap(client: CloudFormationClient): Promise<number | null> {
  const stack = await describe(client, BOOTSTRAP.stack);
  const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
  return version?.OutputValue === undefined ? null : Number(version.OutputValue);
}

async function readUsers(iam: IAMClient) {
  const { SummaryMap = {} } = await iam.send(new GetAccountSummaryCommand({}));
  const { Users: used, UsersQuota: quota } = SummaryMap;
  if (used === undefined || quota === undefined) throw new Error('IAM returned no number of users');
  return { used, quota };
}

async function readStacks(client: CloudFormationClient, stage: StageName) {
  const found = await Promise.all(
    Object.values(stackNames(stage)).map(async (name) => {
      const status = (await describe(client, name))?.StackStatus;
      return status === undefined ? [] : [[name, status] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** CloudFormation returns a ValidationError for a stack that does not exist. */
async function describe(client: CloudFormationClient, StackName: string) {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}
