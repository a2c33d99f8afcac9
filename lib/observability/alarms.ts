import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';
import { type AlarmRule, listAlarmRules, type Runbook } from './alarm-rules.ts';
import type { Watched } from './watched.ts';

/**
 * The alarms, each of which notifies separately: a composite alarm would not announce a second one while the first
 * lasts.
 */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const notification = new SnsAction(obtainAlarmTopic(this, watched.config));
    this.all = listAlarmRules(watched).map((rule) => this.addAlarm(watched, rule));
    for (const alarm of this.all) alarm.addAlarmAction(notification);
  }

  private addAlarm({ config }: Watched, rule: AlarmRule): Alarm {
    return new Alarm(this, rule.id, {
      alarmDescription: describeAlarm(config, rule),
      metric: rule.metric,
      threshold: rule.threshold,
      comparisonOperator:
        rule.below === true
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: rule.periods ?? 1,
      treatMissingData: rule.missing ?? TreatMissingData.NOT_BREACHING,
    });
  }
}

export function describeAlarm(
  { alarms: { runbookUrl } }: Pick<StageConfig, 'alarms'>,
  alarm: { readonly summary: string; readonly runbook: Runbook; readonly urgent?: true },
): string {
  const folder = runbookUrl ?? 'docs/runbooks';
  const urgency = alarm.urgent ? 'Urgent: ' : '';
  return `${urgency}${alarm.summary}. Runbook: ${folder}/${alarm.runbook}.md`;
}

function obtainAlarmTopic(scope: Construct, { alarms }: StageConfig): ITopic {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'Alarms', alarms.topicArn);
  const topic = new Topic(scope, 'Alarms', { masterKey: createAlarmKey(scope), enforceSSL: true });
  // The policy that enforces TLS replaces SNS's default policy, which lets the account publish.
  topic.addToResourcePolicy(allowAlarms(scope, ['sns:Publish'], topic.topicArn));
  const { email = 'none' } = alarms;
  if (email !== 'none') topic.addSubscription(new EmailSubscription(email));
  return topic;
}

/** Creates a key, because CloudWatch cannot use SNS's AWS managed key. */
function createAlarmKey(scope: Construct): Key {
  const key = new Key(scope, 'AlarmKey', {
    description: 'Soil Batch: alarm notifications',
    enableKeyRotation: true,
    // No stored data depends on the key, and a retained key costs money.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // In a key policy, "*" stands for the key itself.
  key.addToResourcePolicy(allowAlarms(scope, ['kms:Decrypt', 'kms:GenerateDataKey'], '*'));
  return key;
}

function allowAlarms(scope: Construct, actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions,
    resources: [resource],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });
}
