import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';

/** Where alarms are told: a topic that exists already, or one of our own. */
export function alarmTopic(scope: Construct, { alarms }: StageConfig): ITopic {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'Alarms', alarms.topicArn);
  const topic = new Topic(scope, 'Alarms', { masterKey: alarmKey(scope), enforceSSL: true });
  if (alarms.email !== undefined) topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
}

/** A key that CloudWatch may use: AWS's own key for SNS refuses it. */
function alarmKey(scope: Construct): Key {
  const key = new Key(scope, 'AlarmKey', {
    description: 'Soil batch: alarms on their way',
    enableKeyRotation: true,
    // Nothing lies there that it encrypts; left behind, it would be paid for.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      // In a key's policy "*" is the key itself.
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return key;
}
