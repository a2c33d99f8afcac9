import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';

/** The topic that alarms notify: an existing topic, or one that the stack creates. */
export function alarmTopic(scope: Construct, { alarms }: StageConfig): ITopic {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'Alarms', alarms.topicArn);
  const topic = new Topic(scope, 'Alarms', { masterKey: alarmKey(scope), enforceSSL: true });
  // The policy that enforces TLS replaces SNS's default policy, which lets the account publish.
  topic.addToResourcePolicy(forAlarms(scope, ['sns:Publish'], topic.topicArn));
  if (alarms.email !== undefined) topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
}

/** CloudWatch can't use the AWS managed key of SNS. */
function alarmKey(scope: Construct): Key {
  const key = new Key(scope, 'AlarmKey', {
    description: 'Soil Batch: alarm notifications',
    enableKeyRotation: true,
    // No stored data depends on the key, and a retained key costs money.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // In a key policy "*" is the key itself.
  key.addToResourcePolicy(forAlarms(scope, ['kms:Decrypt', 'kms:GenerateDataKey'], '*'));
  return key;
}

/** Only for the alarms of this account. */
function forAlarms(scope: Construct, actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions,
    resources: [resource],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });
}
