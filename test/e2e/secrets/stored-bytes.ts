import { readFileSync } from 'node:fs';
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, paginateListTables, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  GetObjectCommand,
  ListBucketsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  paginateGetExecutionHistory,
  paginateListExecutions,
  paginateListMapRuns,
  paginateListStateMachines,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { paginateListQueues, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';

export interface StoredBytes {
  readonly kind: 'log' | 'item' | 'object' | 'message' | 'execution' | 'response' | 'delivery';
  readonly where: string;
  readonly bytes: Buffer;
}

type Service = Pick<ServiceDescription, 'endpoint_url' | 'region' | 'log_file'>;

export async function* readAllStoredBytes(
  service: Service,
  since: Date,
): AsyncGenerator<StoredBytes> {
  const connection = {
    endpoint: service.endpoint_url,
    region: service.region,
    credentials: ROOT_CREDENTIALS,
  };
  yield* readLogs(service, new CloudWatchLogsClient(connection), since);
  yield* readItems(new DynamoDBClient(connection));
  yield* readObjects(new S3Client({ ...connection, forcePathStyle: true }));
  yield* receiveMessages(new SQSClient(connection));
  yield* listExecutions(new SFNClient(connection), since);
}

export const makeStoredText = (
  kind: StoredBytes['kind'],
  where: string,
  value: unknown,
): StoredBytes => ({
  kind,
  where,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});

async function* readLogs(
  { log_file }: Service,
  client: CloudWatchLogsClient,
  since: Date,
): AsyncGenerator<StoredBytes> {
  if (log_file !== null) {
    yield { kind: 'log', where: log_file, bytes: readFileSync(log_file) };
  }
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName = '' } of logGroups) {
      const request = { logGroupName, startTime: since.getTime() };
      for await (const page of paginateFilterLogEvents({ client }, request)) {
        for (const { message = '' } of page.events ?? [])
          yield makeStoredText('log', logGroupName, message);
      }
    }
  }
}

async function* readItems(client: DynamoDBClient): AsyncGenerator<StoredBytes> {
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const TableName of TableNames) {
      for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
        for (const item of Items) {
          const binary = Object.values(item).flatMap(({ B }) => (B === undefined ? [] : [B]));
          yield makeStoredText('item', TableName, item);
          for (const bytes of binary) {
            yield { kind: 'item', where: TableName, bytes: Buffer.from(bytes) };
          }
        }
      }
    }
  }
}

/** Buckets with the functions' code, which was published before any secret existed. */
const CODE = /^cdk-.*-assets-/;

async function* readObjects(client: S3Client): AsyncGenerator<StoredBytes> {
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  for (const { Name: Bucket = '' } of Buckets) {
    if (CODE.test(Bucket)) continue;
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
      for (const { Key = '' } of Contents) {
        const where = `${Bucket}/${Key}`;
        // The object may have been deleted since it was listed.
        const object = await client
          .send(new GetObjectCommand({ Bucket, Key }))
          .catch(() => undefined);
        if (object === undefined) continue;
        const { Body, Metadata, ContentDisposition } = object;
        yield makeStoredText('object', where, { Key, Metadata, ContentDisposition });
        const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
        yield { kind: 'object', where, bytes };
      }
    }
  }
}

/** Receives with a visibility timeout of 0, so that messages stay visible to their consumer. */
async function* receiveMessages(client: SQSClient): AsyncGenerator<StoredBytes> {
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, {})) {
    for (const QueueUrl of QueueUrls) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: 0,
          MessageAttributeNames: ['All'],
        }),
      );
      for (const message of Messages) yield makeStoredText('message', QueueUrl, message);
    }
  }
}

async function* listExecutions(client: SFNClient, since: Date): AsyncGenerator<StoredBytes> {
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, {})) {
    for (const { stateMachineArn } of stateMachines) {
      for await (const page of paginateListExecutions({ client }, { stateMachineArn })) {
        for (const { executionArn = '', startDate } of page.executions ?? []) {
          if ((startDate?.getTime() ?? 0) < since.getTime() - 1_000) continue;
          yield* readExecution(client, executionArn);
          for await (const { mapRuns = [] } of paginateListMapRuns({ client }, { executionArn })) {
            for (const { mapRunArn } of mapRuns) yield* listChildExecutions(client, mapRunArn);
          }
        }
      }
    }
  }
}

async function* listChildExecutions(
  client: SFNClient,
  mapRunArn?: string,
): AsyncGenerator<StoredBytes> {
  for await (const page of paginateListExecutions({ client }, { mapRunArn })) {
    for (const { executionArn = '' } of page.executions ?? []) {
      yield* readExecution(client, executionArn);
    }
  }
}

async function* readExecution(
  client: SFNClient,
  executionArn: string,
): AsyncGenerator<StoredBytes> {
  yield makeStoredText(
    'execution',
    executionArn,
    await client.send(new DescribeExecutionCommand({ executionArn })),
  );
  const request = { executionArn, includeExecutionData: true };
  for await (const { events = [] } of paginateGetExecutionHistory({ client }, request)) {
    yield makeStoredText('execution', `${executionArn}, history`, events);
  }
}
