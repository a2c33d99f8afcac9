import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import type { StackResource } from '../../operator/stack-resources.ts';
import type { Connection } from '../../operator/stage-table.ts';
import type { Verdict } from '../finding.ts';

/** Lambda's quotas and their use. */
export interface Functions {
  /** Concurrent executions of the account in the region. */
  readonly concurrency: number;
  /** The part of `concurrency` that functions have reserved, those of the stage included. */
  readonly reserved: number;
  /** The part of `reserved` that is the deployed stage's; null if it has no functions yet. */
  readonly ownReserved: number | null;
  /**
   * The most executions at a time in two weeks of the functions without reserved concurrency, those of the
   * stage included; 0 if none ran.
   */
  readonly busiest: number;
  readonly codeBytes: number;
  readonly maxCodeBytes: number;
}

/** @param resources of the stage's stacks */
export async function readFunctions(
  connection: Connection,
  resources: readonly StackResource[],
): Promise<Functions> {
  const lambda = new LambdaClient(connection);
  const [{ AccountLimit, AccountUsage }, ownReserved, busiest] = await Promise.all([
    lambda.send(new GetAccountSettingsCommand({})),
    readOwnReserved(lambda, resources),
    readBusiest(new CloudWatchClient(connection), new Date()),
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
    ownReserved,
    busiest,
    maxCodeBytes,
    codeBytes: AccountUsage?.TotalCodeSize ?? 0,
  };
}

const FUNCTION = 'AWS::Lambda::Function';

/** Whether a function of the stage may have reserved concurrency: the predictions alone. */
export function mayReserve({ type, logicalId }: Omit<StackResource, 'physicalId'>): boolean {
  return type === FUNCTION && logicalId.includes('PredictPatchBatch');
}

/** What the deployed stage reserves, which may not be what its configuration now says. */
async function readOwnReserved(
  lambda: LambdaClient,
  resources: readonly StackResource[],
): Promise<number | null> {
  if (!resources.some(({ type }) => type === FUNCTION)) return null;
  const reserved = await Promise.all(
    resources.filter(mayReserve).map(async ({ physicalId: FunctionName }) => {
      const found = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }));
      return found.ReservedConcurrentExecutions ?? 0;
    }),
  );
  return reserved.reduce((sum, one) => sum + one, 0);
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

/** Fraction of the quota. Each deployment adds function versions of about 40 MB and keeps the old ones. */
const MAX_CODE_FRACTION = 0.8;

export function checkCodeStorage({ codeBytes, maxCodeBytes }: Functions): Verdict {
  const [used, quota] = [codeBytes, maxCodeBytes].map((bytes) => `${(bytes / 1e9).toFixed(1)} GB`);
  if (codeBytes < MAX_CODE_FRACTION * maxCodeBytes)
    return { verdict: 'fine', says: `${used} of ${quota}` };
  return { verdict: 'raise', says: `${used} of ${quota}: delete old function versions` };
}
