import { DescribeKeyCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetTopicAttributesCommand, NotFoundException, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type StageName, stackNames } from '../../lib/stages.ts';
import type { Connection } from '../operator/stage-table.ts';
import { type AlarmRequest, CLOUDWATCH, permissionOf } from './alarm-permission.ts';
import { type Attempt, ifExists, tryRead } from './attempt.ts';
import type { Verdict } from './finding.ts';

/** An existing SNS topic that alarms are configured to notify. */
export interface AlarmTopic {
  readonly arn: string;
  /** The account of the alarms; the topic may be in another. */
  readonly account: string;
  /** Null if the topic does not exist. */
  readonly attributes: {
    readonly policy: unknown;
    /** Null if the topic is not encrypted with a KMS key. */
    readonly key: Attempt<TopicKey> | null;
  } | null;
}

export interface TopicKey {
  readonly arn: string;
  readonly manager: string;
  readonly state: string;
  readonly policy: unknown;
}

export async function readAlarmTopic(
  connection: Connection,
  arn: string | undefined,
): Promise<AlarmTopic | null> {
  if (arn === undefined) return null;
  const { Account: account } = await new STSClient(connection).send(
    new GetCallerIdentityCommand({}),
  );
  if (account === undefined) throw new Error('STS returned no account');
  const attributes = await readAttributes(connection, arn);
  if (attributes === null) return { arn, account, attributes };
  const { Policy, KmsMasterKeyId: key } = attributes;
  const policy: unknown = JSON.parse(Policy ?? '{}');
  if (key === undefined) return { arn, account, attributes: { policy, key: null } };
  return {
    arn,
    account,
    attributes: { policy, key: await tryRead(() => readKey(new KMSClient(connection), key)) },
  };
}

async function readAttributes(connection: Connection, TopicArn: string) {
  const read = new SNSClient(connection).send(new GetTopicAttributesCommand({ TopicArn }));
  const topic = await ifExists(read, NotFoundException);
  return topic === null ? null : (topic.Attributes ?? {});
}

/** A topic may name its key by an alias, which GetKeyPolicy does not accept. */
async function readKey(kms: KMSClient, KeyId: string): Promise<TopicKey> {
  const { KeyMetadata: key } = await kms.send(new DescribeKeyCommand({ KeyId }));
  const { Arn: arn, KeyManager: manager, KeyState: state } = key ?? {};
  if (arn === undefined || manager === undefined || state === undefined) {
    throw new Error(`KMS returned no description of the key ${KeyId}`);
  }
  const { Policy = '{}' } = await kms.send(new GetKeyPolicyCommand({ KeyId: arn }));
  return { arn, manager, state, policy: JSON.parse(Policy) };
}

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
