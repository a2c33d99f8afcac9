import { type StageName, stackNames } from '../../lib/stages.ts';
import { type AlarmCall, CLOUDWATCH, permissionOf } from './alarm-permission.ts';
import type { AlarmTopic, TopicKey } from './alarm-topic.ts';
import type { Verdict } from './judgement.ts';

/** Whether alarms of the stage can notify an existing topic. */
export function judgeAlarmTopic(stage: StageName, topic: AlarmTopic): Verdict {
  const { arn, attributes } = topic;
  if (attributes === null) return { verdict: 'wrong', says: `${arn} does not exist` };
  const needed = { actions: ['sns:Publish'], resource: arn };
  return judgePolicy(stage, topic, attributes.policy, needed);
}

/** The same of its key: CloudWatch publishes to an encrypted topic only if it can use the key. */
export function judgeTopicKey(stage: StageName, topic: AlarmTopic, key: TopicKey): Verdict {
  if (key.manager === 'AWS') {
    return {
      verdict: 'wrong',
      says: 'AWS manages it, and CloudWatch cannot use it: alarms notify nobody. Encrypt the topic with a key of your own',
    };
  }
  if (key.state !== 'Enabled') return { verdict: 'wrong', says: `${key.arn} is ${key.state}` };
  const needed = { actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resource: key.arn };
  return judgePolicy(stage, topic, key.policy, needed);
}

interface Needed {
  readonly actions: readonly string[];
  readonly resource: string;
}

function judgePolicy(
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
  const asked = actions.join(' and ');
  if (permissions.includes('denied')) {
    return {
      verdict: 'wrong',
      says: `a statement of its policy denies CloudWatch ${asked}: alarms notify nobody. Replace it by ${needed}`,
    };
  }
  if (permissions.includes('missing')) {
    return {
      verdict: 'wrong',
      says: `its policy does not allow CloudWatch ${asked}: alarms notify nobody. Add ${needed}`,
    };
  }
  if (permissions.includes('unclear')) {
    return {
      verdict: 'unseen',
      says: `only AWS can evaluate the conditions of its policy. Make sure that it has ${needed}`,
    };
  }
  return { verdict: 'fine', says: `its policy allows CloudWatch ${asked}` };
}

/** Of the region of the topic, which must be that of the stage. */
function alarmOf(
  stage: StageName,
  { arn, account }: AlarmTopic,
): Pick<AlarmCall, 'account' | 'alarm'> {
  const [, partition, , region] = arn.split(':');
  const name = `${stackNames(stage).observability}-Alarms`;
  return { account, alarm: `arn:${partition}:cloudwatch:${region}:${account}:alarm:${name}` };
}
