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

/** No alarm of the stage is on; one without figures yet counts as quiet, and is counted. */
export async function alarmsAreQuiet(stage: DeployedStage): Promise<string> {
  const alarms = await alarmsOf(stage);
  require(alarms.length > 0, 'the stack has no alarm');
  const on = alarms.filter(({ StateValue }) => StateValue === 'ALARM');
  require(on.length === 0, on
    .map(({ AlarmName, StateReason }) => `${AlarmName}: ${StateReason}`)
    .join('; '));
  const without = alarms.filter(({ StateValue }) => StateValue === 'INSUFFICIENT_DATA').length;
  return `${alarms.length} alarms, none is on${without === 0 ? '' : `, ${without} without figures yet`}`;
}

async function alarmsOf({ connection, resources }: DeployedStage): Promise<readonly Alarm[]> {
  const names = resources.flatMap(({ type, physicalId }) =>
    /^AWS::CloudWatch::(Composite)?Alarm$/.test(type) ? [nameOf(physicalId)] : [],
  );
  const client = new CloudWatchClient(connection);
  const alarms: Alarm[] = [];
  // DescribeAlarms takes 100 names.
  for (let first = 0; first < names.length; first += 100) {
    const answer = await client.send(
      new DescribeAlarmsCommand({
        AlarmNames: names.slice(first, first + 100),
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      }),
    );
    alarms.push(...(answer.MetricAlarms ?? []), ...(answer.CompositeAlarms ?? []));
  }
  require(alarms.length ===
    names.length, `the stack has ${names.length} alarms, CloudWatch knows ${alarms.length}`);
  return alarms;
}

/** CloudFormation knows composite alarms by their ARN. */
function nameOf(physicalId: string): string {
  return physicalId.split(':alarm:').at(-1) ?? physicalId;
}

/**
 * Sets one alarm off for a moment and reads in its history that its topic took the notification: an
 * encrypted topic refuses CloudWatch without a word where the key's policy does not name it.
 */
export async function alarmNotifies(stage: DeployedStage): Promise<string> {
  const alarm = (await alarmsOf(stage)).find(({ AlarmActions = [] }) => AlarmActions.length > 0);
  const name = alarm?.AlarmName;
  if (name === undefined)
    throw new Skipped('no alarm tells anybody: alarms.email or alarms.topicArn');
  const client = new CloudWatchClient(stage.connection);
  const since = new Date(Date.now() - 1_000);
  const set = (StateValue: 'ALARM' | 'OK') =>
    client.send(
      new SetAlarmStateCommand({
        AlarmName: name,
        StateValue,
        StateReason: 'smoke test: nothing is wrong',
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
    return judged(history);
  } finally {
    await set('OK');
  }
}

/** @throws Error with CloudWatch's own words when an action failed */
export function judged(history: readonly AlarmHistoryItem[]): string {
  const failed = history.find(({ HistorySummary = '' }) => !/^Success/i.test(HistorySummary));
  require(failed === undefined, failed?.HistorySummary ?? '');
  return history[0]?.HistorySummary ?? '';
}
