import { randomUUID } from 'node:crypto';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DeleteLogGroupCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeStateMachineCommand,
  ListStateMachinesCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import { createStateTable } from '../../support/deployed/state-table.ts';

/** Stores a secret in each kind of store, in a different encoding each, and removes it when disposed. */
export async function plantSecret(
  secret: string,
  { endpoint_url: endpoint, region }: Pick<ServiceDescription, 'endpoint_url' | 'region'>,
): Promise<AsyncDisposable> {
  const connection = { endpoint, region, credentials: ROOT_CREDENTIALS };
  const name = `planted-${randomUUID()}`;
  const logs = new CloudWatchLogsClient(connection);
  const s3 = new S3Client({ ...connection, forcePathStyle: true });
  const sqs = new SQSClient(connection);
  const sfn = new SFNClient(connection);
  const table = await createStateTable(endpoint, region);

  await logs.send(new CreateLogGroupCommand({ logGroupName: name }));
  await logs.send(new CreateLogStreamCommand({ logGroupName: name, logStreamName: name }));
  const message = JSON.stringify({ body: JSON.stringify({ webhook_secret: secret }) });
  await logs.send(
    new PutLogEventsCommand({
      logGroupName: name,
      logStreamName: name,
      logEvents: [{ timestamp: Date.now(), message }],
    }),
  );
  const hex = Buffer.from(secret).toString('hex');
  await table.client.send(
    new PutCommand({
      TableName: table.name,
      Item: { pk: 'BATCH#1', sk: 'BATCH', planted: { in: [hex] } },
    }),
  );
  await s3.send(new CreateBucketCommand({ Bucket: name }));
  const Body = Buffer.from(`{"secret":"${secret}"}`).toString('base64');
  await s3.send(new PutObjectCommand({ Bucket: name, Key: 'planted', Body }));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: encodeURIComponent(secret) }));
  const { stateMachineArn } = await sfn.send(
    new CreateStateMachineCommand({
      name,
      roleArn: await findRole(sfn),
      definition: JSON.stringify({ StartAt: 'End', States: { End: { Type: 'Succeed' } } }),
    }),
  );
  await sfn.send(new StartExecutionCommand({ stateMachineArn, input: JSON.stringify({ secret }) }));
  return {
    async [Symbol.asyncDispose]() {
      await logs.send(new DeleteLogGroupCommand({ logGroupName: name }));
      await table.delete();
      await s3.send(new DeleteObjectCommand({ Bucket: name, Key: 'planted' }));
      await s3.send(new DeleteBucketCommand({ Bucket: name }));
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      await sfn.send(new DeleteStateMachineCommand({ stateMachineArn }));
    },
  };
}

/** Finds an existing role, which the emulator requires: that of the service's state machine. */
async function findRole(sfn: SFNClient): Promise<string> {
  const { stateMachines } = await sfn.send(new ListStateMachinesCommand({}));
  const [machine] = stateMachines ?? [];
  const { roleArn } = await sfn.send(
    new DescribeStateMachineCommand({ stateMachineArn: machine?.stateMachineArn }),
  );
  if (roleArn === undefined) throw new Error('the service has no state machine');
  return roleArn;
}
