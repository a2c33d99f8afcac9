import { DescribeKeyCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetTopicAttributesCommand, NotFoundException, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Connection } from '../operator/stage-table.ts';
import { ifExists, type ReadResult, tryRead } from './read-result.ts';

/** An existing SNS topic that alarms are configured to notify. */
export interface AlarmTopic {
  readonly arn: string;
  /** The account of the alarms; the topic may be in another. */
  readonly account: string;
  /** Null if the topic does not exist. */
  readonly attributes: {
    readonly policy: unknown;
    /** Null if the topic is not encrypted with a KMS key. */
    readonly key: ReadResult<TopicKey> | null;
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
