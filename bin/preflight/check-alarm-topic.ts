import { type StageName, stackNames } from '../../lib/stages.ts';
import { type AlarmRequest, CLOUDWATCH, permissionOf } from './alarm-permission.ts';
import type { AlarmTopic, TopicKey } from './alarm-topic.ts';
import type { Verdict } from './finding.ts';

/** Checks whether alarms of the stage can notify an existing topic. */
export function checkAlarmTopic(stage: StageName, topic: AlarmTopic): Verdict {
  const { arn, attributes } = topic;
  if (attributes === null) return { verdict: 'wrong', says: `${arn} does not exist` };
  const needed = { actions: ['sns:Publish'], resource: arn };
  return checkPolicy(stage, topic, attributes.policy, needed);
}

/** Checks the topic's key: CloudWatch publishes to an encrypted topic only if it can use the key. */
export function checkTopicKey(stage: StageName, topic: AlarmTopic, key: TopicKey): Verdict {
  if (key.manager === 'AWS') {
    return {
      verdict: 'wrong',
      says: 'CloudWatch cannot use an AWS managed key: alarms notify nobody. Encrypt the topic with a customer managed key',
    };
  }
  if (key.state !== 'Enabled') return { verdict: 'wrong', says: `${key.arn} is ${key.state}` };
  const needed = { actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resource: key.arn };
  return checkPolicy(stage, topic, key.policy, needed);
}

interface Needed {
  readonly actions: readonly string[];
  readonly resource: string;
}

function checkPolicy(
  stage: StageName,
  topic: AlarmTopic,
  policy: unknown,
  { actions, resource }: Needed,
): Verdict {
  const permissions = actions.map((action) =>
    permissionOf(policy, { ...alarmOf(stage, topic), action, resource }),
  );
  const needed = JSON.stringify({
    Effect: 'Allow',
    Principal: { Service: CLOUDWATCH },
    Action: actions,
    Resource: resource,
    Condition: { StringEquals: { 'aws:SourceAccount': topic.account } },
  });
  const permission = actions.join(' and ');
  if (permissions.includes('denied')) {
    return {
      verdict: 'wrong',
      says: `a statement of its policy denies CloudWatch ${permission}: alarms notify nobody. Replace it with ${needed}`,
    };
  }
  if (permissions.includes('missing')) {
    return {
      verdict: 'wrong',
      says: `its policy does not allow CloudWatch ${permission}: alarms notify nobody. Add ${needed}`,
    };
  }
  if (permissions.includes('unclear')) {
    return {
      verdict: 'unseen',
      says: `only AWS can evaluate the conditions of its policy. Make sure that it has ${needed}`,
    };
  }
  return { verdict: 'fine', says: `its policy allows CloudWatch ${permission}` };
}

/** Uses the topic's region, which must be that of the stage. */
function alarmOf(
  stage: StageName,
  { arn, account }: AlarmTopic,
): Pick<AlarmRequest, 'account' | 'alarm'> {
  const [, partition, , region] = arn.split(':');
  const name = `${stackNames(stage).observability}-Alarms`;
  return { account, alarm: `arn:${partition}:cloudwatch:${region}:${account}:alarm:${name}` };
}
