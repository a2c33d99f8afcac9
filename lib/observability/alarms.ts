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
 * The alarms, and one over those that should wake somebody. The urgent ones tell nobody by
 * themselves: when several go off together, one message comes.
 */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];
  readonly page: CompositeAlarm;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { config } = watched;
    const rules = alarmRules(watched);
    const told = new SnsAction(alarmTopic(this, config));
    const made = rules.map((rule) => [rule, this.add(watched, rule)] as const);
    const of = (urgency: AlarmRule['urgency']) =>
      made.filter(([rule]) => rule.urgency === urgency).map(([, alarm]) => alarm);

    this.all = made.map(([, alarm]) => alarm);
    this.page = new CompositeAlarm(this, 'Page', {
      alarmRule: AnyOf.anyOf(
        ...of('page').map((alarm) => AnyOf.fromAlarm(alarm, AlarmState.ALARM)),
      ),
      alarmDescription: description(config, {
        says: 'Clients are harmed, or soon will be',
        runbook: 'page',
      }),
    });
    this.page.addAlarmAction(told);
    for (const alarm of of('tell')) alarm.addAlarmAction(told);
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
