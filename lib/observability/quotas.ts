import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { StateTransitionMetric } from 'aws-cdk-lib/aws-stepfunctions';
import type { StageConfig } from '../config/stage-config.ts';
import type { Watched } from './watched.ts';

export interface Quota {
  readonly id: string;
  readonly title: string;
  readonly used: Metric | MathExpression;
  readonly limit: Metric | MathExpression | number;
  /** Usage in percent, for an alarm at 80 %; absent if the service cannot come near the limit. */
  readonly percent?: MathExpression;
  /** The part of the alarm's summary that follows the title. @default at least 80 % of the account's quota is in use */
  readonly near?: string;
}

const period = Duration.minutes(1);

export function listQuotas({
  config,
  storage: { table },
}: Pick<Watched, 'config' | 'storage'>): readonly Quota[] {
  return [
    concurrentExecutions(),
    openMapRuns(),
    openExecutions(),
    stateTransitions(),
    ...tableUnits(table, config.table),
  ];
}

/**
 * Lambda concurrency: 1,000 in most accounts, 10 in new ones. `SERVICE_QUOTA` of `ConcurrentExecutions`, without a
 * dimension, is the account's own quota. `ClaimedAccountConcurrency` is the usage plus all reservations, including
 * those of other services
 * (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html#claimed-account-concurrency). The
 * concurrency that no function reserves runs out first.
 */
function concurrentExecutions(): Quota {
  const lambdaMetric = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      statistic: 'Maximum',
      period,
      label: 'used',
    });
  const used = lambdaMetric('ConcurrentExecutions');
  const unreserved = lambdaMetric('UnreservedConcurrentExecutions');
  const claimed = lambdaMetric('ClaimedAccountConcurrency');
  return {
    id: 'LambdaConcurrency',
    title: 'Concurrent executions',
    used,
    limit: mathExpression('SERVICE_QUOTA(used)', { used }, 'quota'),
    near: 'at least 80 % of the unreserved concurrency is in use',
    percent: mathExpression(
      '100 * unreserved / (SERVICE_QUOTA(used) - (claimed - unreserved))',
      { used, unreserved, claimed },
      'percent of unreserved concurrency',
    ),
  };
}

/**
 * Open map runs of Step Functions: at most one per running batch, so at most `runningBatches.inAll` of 1,000. Further
 * map runs wait.
 */
function openMapRuns(): Quota {
  return stateQuota('MapRuns', 'Open map runs', 'ApproximateOpenMapRunCount', 'OpenMapRunLimit');
}

/** Open executions of Step Functions: at most one per running job, batch and copy request, of 1,000,000 per account. */
function openExecutions(): Quota {
  return stateQuota('Executions', 'Open executions', 'OpenExecutionCount', 'OpenExecutionLimit');
}

/**
 * State transitions of Step Functions: 800 per second in most Regions, fewer in new accounts. Further transitions wait.
 */
function stateTransitions(): Quota {
  const used = StateTransitionMetric.metricConsumedCapacity({ period, label: 'used' });
  const limit = StateTransitionMetric.metricProvisionedRefillRate({ period, label: 'quota' });
  const percent = mathExpression('100 * used / limit', { used, limit }, 'percent of the quota');
  return { id: 'Transitions', title: 'State transitions per second', used, limit, percent };
}

/** Describes a quota whose metrics have no dimension, because they are for the whole account. */
function stateQuota(id: string, title: string, count: string, limitName: string): Quota {
  const stateMetric = (metricName: string, label: string) =>
    new Metric({ namespace: 'AWS/States', metricName, statistic: 'Maximum', period, label });
  return { id, title, used: stateMetric(count, 'used'), limit: stateMetric(limitName, 'quota') };
}

/** Describes the ceilings of the stage, which are at most the account's default quota. */
function tableUnits(
  table: Table,
  { readUnits, writeUnits }: StageConfig['table'],
): readonly Quota[] {
  return (
    [
      ['Read', readUnits],
      ['Write', writeUnits],
    ] as const
  ).map(([kind, limit]) => {
    const consumed = table.metric(`Consumed${kind}CapacityUnits`, { statistic: 'Sum', period });
    return {
      id: `Table${kind}s`,
      title: `Table ${kind.toLowerCase()}s per second`,
      used: mathExpression('consumed / 60', { consumed }, 'used'),
      limit,
      near: 'at least 80 % of the configured limit is in use',
      percent: mathExpression(`consumed / 60 / ${limit} * 100`, { consumed }, 'percent'),
    };
  });
}

function mathExpression(
  text: string,
  usingMetrics: Readonly<Record<string, Metric>>,
  label: string,
): MathExpression {
  return new MathExpression({ expression: text, usingMetrics, label, period });
}
