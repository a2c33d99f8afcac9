import {
  type AlarmHistoryItem,
  CloudWatchClient,
  type CompositeAlarm,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  type MetricAlarm,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { require, Skipped, waitFor } from './check.ts';
import type { DeployedStage } from './stage.ts';

type Alarm = Pick<
  MetricAlarm | CompositeAlarm,
  'AlarmName' | 'StateValue' | 'StateReason' | 'AlarmActions'
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

async function alarmsOf({ connection, resources }: DeployedStage): Promise<readonly Alarm[]> {
  const names = resources.flatMap(({ type, physicalId }) =>
    /^AWS::CloudWatch::(Composite)?Alarm$/.test(type) ? [nameOf(physicalId)] : [],
  );
  const client = new CloudWatchClient(connection);
  const alarms: Alarm[] = [];
  // DescribeAlarms accepts 100 names.
  for (let first = 0; first < names.length; first += 100) {
    const page = await client.send(
      new DescribeAlarmsCommand({
        AlarmNames: names.slice(first, first + 100),
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      }),
    );
    alarms.push(...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? []));
  }
  require(alarms.length ===
    names.length, `the stack has ${names.length} alarms, CloudWatch returned ${alarms.length}`);
  return alarms;
}

/** The physical id of a composite alarm is its ARN. */
function nameOf(physicalId: string): string {
  return physicalId.split(':alarm:').at(-1) ?? physicalId;
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
