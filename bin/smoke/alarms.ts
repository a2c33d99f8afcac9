import {
  type AlarmHistoryItem,
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  type MetricAlarm,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  AuthorizationErrorException,
  GetTopicAttributesCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import { require, Skipped, waitFor } from './check.ts';
import type { DeployedStage } from './stage.ts';

type Alarm = Pick<
  MetricAlarm,
  'AlarmName' | 'StateValue' | 'StateReason' | 'AlarmActions' | 'Metrics'
>;

/** Checks that no alarm of the stage is in ALARM. Alarms with INSUFFICIENT_DATA pass and are counted. */
export async function alarmsAreQuiet(stage: DeployedStage): Promise<string> {
  const alarms = await alarmsOf(stage);
  require(alarms.length > 0, 'the stack has no alarms');
  const on = alarms.filter(({ StateValue }) => StateValue === 'ALARM');
  require(on.length === 0, on
    .map(({ AlarmName, StateReason }) => `${AlarmName}: ${StateReason}`)
    .join('; '));
  const without = alarms.filter(({ StateValue }) => StateValue === 'INSUFFICIENT_DATA').length;
  return `${alarms.length} alarms, none in ALARM${without === 0 ? '' : `, ${without} without data yet`}`;
}

/** Checks that each topic of the alarms has a recipient: SNS accepts what nobody receives. */
export async function alarmsHaveRecipients(stage: DeployedStage): Promise<string> {
  const alarms = await alarmsOf(stage);
  const topics = new Set(alarms.flatMap(({ AlarmActions = [] }) => AlarmActions));
  const client = new SNSClient(stage.connection);
  const found = await Promise.all(
    [...topics].map(async (TopicArn) => {
      try {
        const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn }));
        return recipientsOf(TopicArn, Attributes);
      } catch (error) {
        // Its owner's account decides who may look.
        if (error instanceof AuthorizationErrorException) throw new Skipped(error.message);
        throw error;
      }
    }),
  );
  return found.join('; ');
}

/** @throws Error if nobody has confirmed a subscription; SNS deletes one that stays unconfirmed */
export function recipientsOf(
  topic: string,
  { SubscriptionsConfirmed = '0', SubscriptionsPending = '0' }: Readonly<Record<string, string>>,
): string {
  require(Number(SubscriptionsConfirmed) >
    0, `nobody receives alarms of ${topic}: ${SubscriptionsPending} subscriptions wait to be confirmed by AWS's e-mail`);
  return `${SubscriptionsConfirmed} subscriptions of ${topic}`;
}

/** Metrics of the batches that the smoke test has run arrive within minutes. */
const METRIC_SECONDS = 420;
const LOOK_BACK_MS = 3_600_000;

/**
 * Checks that the alarms at a share of the account's quotas have data. Missing data raises none of them,
 * so a metric that AWS does not publish, or no longer, would never be noticed.
 */
export async function quotasAreMeasured(stage: DeployedStage): Promise<string> {
  const alarms = await alarmsOf(stage, /Near[0-9A-F]{8}$/);
  require(alarms.length > 0, 'the stack has no alarms of quotas');
  const client = new CloudWatchClient(stage.connection);
  const silent = async () => {
    const found = await Promise.all(
      alarms.map(async ({ AlarmName, Metrics }) => {
        const { MetricDataResults = [] } = await client.send(
          new GetMetricDataCommand({
            MetricDataQueries: Metrics ?? [],
            StartTime: new Date(Date.now() - LOOK_BACK_MS),
            EndTime: new Date(),
          }),
        );
        return MetricDataResults.some(({ Values = [] }) => Values.length > 0) ? [] : [AlarmName];
      }),
    );
    return found.flat();
  };
  await waitFor(
    'alarms without a datapoint',
    METRIC_SECONDS,
    silent,
    (names) => names.length === 0,
  );
  return `${alarms.length} alarms of quotas, all with data`;
}

/** @param among only those whose logical id matches */
async function alarmsOf(
  { connection, resources }: DeployedStage,
  among = /(?:)/,
): Promise<readonly Alarm[]> {
  const names = resources.flatMap(({ type, logicalId, physicalId }) =>
    type === 'AWS::CloudWatch::Alarm' && among.test(logicalId) ? [physicalId] : [],
  );
  const client = new CloudWatchClient(connection);
  const alarms: Alarm[] = [];
  // DescribeAlarms accepts 100 names.
  for (let first = 0; first < names.length; first += 100) {
    const page = await client.send(
      new DescribeAlarmsCommand({ AlarmNames: names.slice(first, first + 100) }),
    );
    alarms.push(...(page.MetricAlarms ?? []));
  }
  require(alarms.length ===
    names.length, `the stack has ${names.length} alarms, CloudWatch returned ${alarms.length}`);
  return alarms;
}

/**
 * Sets one alarm to ALARM for a moment and reads from its history whether the topic accepted the
 * notification. An encrypted topic rejects CloudWatch if the key's policy does not allow it, and only
 * the history shows that.
 */
export async function alarmNotifies(stage: DeployedStage): Promise<string> {
  const alarm = (await alarmsOf(stage)).find(({ AlarmActions = [] }) => AlarmActions.length > 0);
  const name = alarm?.AlarmName;
  if (name === undefined)
    throw new Skipped('alarms have no recipient: set alarms.email or alarms.topicArn');
  const client = new CloudWatchClient(stage.connection);
  const since = new Date(Date.now() - 1_000);
  const set = (StateValue: 'ALARM' | 'OK') =>
    client.send(
      new SetAlarmStateCommand({
        AlarmName: name,
        StateValue,
        StateReason: 'smoke test: ignore this alarm',
      }),
    );
  await set('ALARM');
  try {
    const history = await waitFor(
      `${name} notifies`,
      120,
      async () => {
        const { AlarmHistoryItems = [] } = await client.send(
          new DescribeAlarmHistoryCommand({
            AlarmName: name,
            HistoryItemType: 'Action',
            StartDate: since,
          }),
        );
        return AlarmHistoryItems;
      },
      (items) => items.length > 0,
    );
    return notificationOf(history);
  } finally {
    await set('OK');
  }
}

/** The history entry of a successful notification. @throws Error with CloudWatch's message if an action failed */
export function notificationOf(history: readonly AlarmHistoryItem[]): string {
  const failed = history.find(({ HistorySummary = '' }) => !/^Success/i.test(HistorySummary));
  require(failed === undefined, failed?.HistorySummary ?? '');
  return history[0]?.HistorySummary ?? '';
}
