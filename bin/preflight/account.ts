import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
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
import { look, type Seen } from './seen.ts';

/** Of Lambda. */
export interface Functions {
  /** Concurrent executions of the account in the region. */
  readonly concurrency: number;
  /** Of them, those that functions of others have reserved: this service's can't use them. */
  readonly reserved: number;
  readonly codeBytes: number;
  readonly maxCodeBytes: number;
}

/** What matters of an account and a region before the service is deployed there. */
export interface Account {
  readonly region: string;
  readonly functions: Seen<Functions>;
  /** Null where Service Quotas does not list it. */
  readonly openMapRuns: Seen<number | null>;
  /** Of STANDARD state machines, a second. */
  readonly transitions: Seen<number | null>;
  readonly regionalApis: Seen<number | null>;
  /** Version of the CDK's bootstrap stack; null when there is none. */
  readonly bootstrap: Seen<number | null>;
  readonly users: Seen<{ readonly used: number; readonly quota: number }>;
  /** State of the stage's stacks that exist, by name. */
  readonly stacks: Seen<Readonly<Record<string, string>>>;
  /** The topic that the configuration names; null where it names none. */
  readonly alarmTopic: Seen<AlarmTopic | null>;
}

/** Of the two quotas of state transitions, the rate and not the burst. */
const TRANSITIONS = /^(?=.*state ?transition)(?=.*refill)/i;

/** Reads, and changes nothing. */
export async function readAccount(
  connection: Connection,
  region: string,
  { stage, alarms }: Pick<StageConfig, 'stage' | 'alarms'>,
): Promise<Account> {
  const place = { ...connection, region };
  const [functions, openMapRuns, transitions, regionalApis, bootstrap, users, stacks, alarmTopic] =
    await Promise.all([
      look(() => readFunctions(new LambdaClient(place))),
      look(() => readQuota(new ServiceQuotasClient(place), 'states', /open map run/i)),
      look(() => readQuota(new ServiceQuotasClient(place), 'states', TRANSITIONS)),
      look(() => readQuota(new ServiceQuotasClient(place), 'apigateway', /^regional apis/i)),
      look(() => readBootstrap(new CloudFormationClient(place))),
      look(() => readUsers(new IAMClient(place))),
      look(() => readStacks(new CloudFormationClient(place), stage)),
      look(() => readAlarmTopic(place, alarms.topicArn)),
    ]);
  const quotas = { functions, openMapRuns, transitions, regionalApis, users };
  return { region, ...quotas, bootstrap, stacks, alarmTopic };
}

async function readFunctions(lambda: LambdaClient): Promise<Functions> {
  const { AccountLimit, AccountUsage } = await lambda.send(new GetAccountSettingsCommand({}));
  const concurrency = AccountLimit?.ConcurrentExecutions;
  const maxCodeBytes = AccountLimit?.TotalCodeSize;
  if (concurrency === undefined || maxCodeBytes === undefined) {
    throw new Error('Lambda tells no limits');
  }
  const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? concurrency;
  return {
    concurrency,
    reserved: concurrency - unreserved,
    maxCodeBytes,
    codeBytes: AccountUsage?.TotalCodeSize ?? 0,
  };
}

/** The account's own value, else the default that Service Quotas lists. */
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
  const stack = await describe(client, 'CDKToolkit');
  const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
  return version?.OutputValue === undefined ? null : Number(version.OutputValue);
}

async function readUsers(iam: IAMClient) {
  const { SummaryMap = {} } = await iam.send(new GetAccountSummaryCommand({}));
  const { Users: used, UsersQuota: quota } = SummaryMap;
  if (used === undefined || quota === undefined) throw new Error('IAM tells no number of users');
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

/** CloudFormation calls a stack that is not there a validation error. */
async function describe(client: CloudFormationClient, StackName: string) {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}
