import {
  Alarm,
  AlarmState,
  AlarmRule as AnyOf,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Construct } from 'constructs';
import { type AlarmRule, AT_LEAST, BELOW, description } from './alarm.ts';
import { alarmRules } from './alarm-rules.ts';
import { alarmTopic } from './alarm-topic.ts';
import type { Watched } from './watched.ts';

/**
 * The alarms, and a composite alarm over the urgent ones. Urgent alarms do not notify by themselves, so
 * that several at once send one message.
 */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];
  readonly page: CompositeAlarm;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { config } = watched;
    const rules = alarmRules(watched);
    const notification = new SnsAction(alarmTopic(this, config));
    const alarms = rules.map((rule) => [rule, this.add(watched, rule)] as const);
    const of = (urgency: AlarmRule['urgency']) =>
      alarms.filter(([rule]) => rule.urgency === urgency).map(([, alarm]) => alarm);

    this.all = alarms.map(([, alarm]) => alarm);
    this.page = new CompositeAlarm(this, 'Page', {
      alarmRule: AnyOf.anyOf(
        ...of('page').map((alarm) => AnyOf.fromAlarm(alarm, AlarmState.ALARM)),
      ),
      alarmDescription: description(config, {
        summary: 'Clients are affected, or soon will be',
        runbook: 'page',
      }),
    });
    this.page.addAlarmAction(notification);
    for (const alarm of of('notify')) alarm.addAlarmAction(notification);
  }

  private add({ config }: Watched, rule: AlarmRule): Alarm {
    return new Alarm(this, rule.id, {
      alarmDescription: description(config, rule),
      metric: rule.metric,
      threshold: rule.threshold,
      comparisonOperator: rule.below === true ? BELOW : AT_LEAST,
      evaluationPeriods: rule.periods ?? 1,
      treatMissingData: rule.missing ?? TreatMissingData.NOT_BREACHING,
    });
  }
}
