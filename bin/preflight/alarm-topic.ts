import { DescribeKeyCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetTopicAttributesCommand, NotFoundException, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Connection } from '../operator/stage-table.ts';
import { look, type Seen } from './seen.ts';

/** An existing topic that alarms are to notify. */
export interface AlarmTopic {
  readonly arn: string;
  /** In which the alarms will be; the topic may be in another. */
  readonly account: string;
  /** Null where the topic does not exist. */
  readonly attributes: {
    readonly policy: unknown;
    /** Null where the topic is not encrypted with a KMS key. */
    readonly key: Seen<TopicKey> | null;
  } | null;
}

export interface TopicKey {
  readonly arn: string;
  readonly manager: string;
  readonly state: string;
  readonly policy: unknown;
}

export async function readAlarmTopic(
  place: Connection,
  arn: string | undefined,
): Promise<AlarmTopic | null> {
  if (arn === undefined) return null;
  const { Account: account } = await new STSClient(place).send(new GetCallerIdentityCommand({}));
  if (account === undefined) throw new Error('STS names no account');
  const attributes = await readAttributes(place, arn);
  if (attributes === null) return { arn, account, attributes };
  const { Policy, KmsMasterKeyId: key } = attributes;
  const policy: unknown = JSON.parse(Policy ?? '{}');
  if (key === undefined) return { arn, account, attributes: { policy, key: null } };
  return {
    arn,
    account,
    attributes: { policy, key: await look(() => readKey(new KMSClient(place), key)) },
  };
}

async function readAttributes(place: Connection, TopicArn: string) {
  try {
    const topic = await new SNSClient(place).send(new GetTopicAttributesCommand({ TopicArn }));
    return topic.Attributes ?? {};
  } catch (error) {
    if (error instanceof NotFoundException) return null;
    throw error;
  }
}

/** A topic may name its key by an alias, which GetKeyPolicy does not take. */
async function readKey(kms: KMSClient, KeyId: string): Promise<TopicKey> {
  const { KeyMetadata: key } = await kms.send(new DescribeKeyCommand({ KeyId }));
  const { Arn: arn, KeyManager: manager, KeyState: state } = key ?? {};
  if (arn === undefined || manager === undefined || state === undefined) {
    throw new Error(`KMS does not describe the key ${KeyId}`);
  }
  const { Policy = '{}' } = await kms.send(new GetKeyPolicyCommand({ KeyId: arn }));
  return { arn, manager, state, policy: JSON.parse(Policy) };
}
