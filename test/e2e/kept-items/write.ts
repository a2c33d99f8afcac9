import { randomUUID } from 'node:crypto';
import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import {
  connectionTo,
  openStageTable,
  outputsOf,
  requiredOutput,
} from '../../../bin/operator/stage-table.ts';
import { apiClient, read } from '../../../bin/smoke/api-client.ts';
import { EXAMPLE, readBatchRequest, smallJob } from '../../../bin/smoke/batch-request.ts';
import { create, finished, statusOf } from '../../../bin/smoke/batches.ts';
import { waitFor } from '../../../bin/smoke/check.ts';
import { openReceiver } from '../../../bin/smoke/receiver.ts';
import { dynamoApiKeys } from '../../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoBatchQueue } from '../../../lambdas/adapters/dynamodb/batch-queue.ts';
import { dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoScanPositions } from '../../../lambdas/adapters/dynamodb/sparse-index.ts';
import { dynamoTenantRecords } from '../../../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../../../lambdas/domain/clock.ts';
import { issueKey } from '../../../lambdas/domain/tenant/issue-api-key.ts';
import { stageConfig } from '../../../lib/config/each-stage.ts';
import { stackNames } from '../../../lib/stages.ts';
import { aBatch } from '../../support/domain/builders.ts';
import { writeKept } from '../../support/kept-items/files.ts';
import { readItems, readObjects } from './read-all.ts';

// Writes a fixture of the items and objects of this code from a run on the service of `npm start`:
//   npx tsx test/e2e/kept-items/write.ts [version]
// Nobody has deployed a version yet, so one fixture is enough, `unreleased`: write it again when a new
// kind of item is added. After the first deployment each release has its own.

const [version = 'unreleased'] = process.argv.slice(2);

const { stateful, stateless } = stackNames('local');
const connection = await connectionTo('local');
const [statefulOutputs, statelessOutputs] = await Promise.all([
  outputsOf(connection, stateful),
  outputsOf(connection, stateless),
]);
const workBucket = requiredOutput(statefulOutputs, stateful, 'WorkBucketName');
const resultsBucket = requiredOutput(statefulOutputs, stateful, 'ResultsBucketName');
const v2Url = requiredOutput(statelessOutputs, stateless, 'V2Url');
const table = await openStageTable('local');
const s3 = new S3Client({ ...connection, forcePathStyle: true });
const dynamo = new DynamoDBClient(connection);
const request = readBatchRequest(EXAMPLE);
const TENANT_BATCHES = stageConfig('local').runningBatches.perTenant;

const tenant = `kept-${version.replaceAll('.', '-')}-${Date.now().toString(36)}`;
const createdAt = timestamp(table.clock());
const limits = { jobsPerDay: 2_000, hectaresPerDay: 20_000, requestsPerMinute: 6_000 };
await dynamoTenantRecords(table).create({ tenant, createdAt, disabledAt: null, limits });
const issued = await issueKey(
  { keys: dynamoApiKeys(table), clock: table.clock },
  { tenant, name: 'kept items', expiresAt: null },
);
const api = apiClient('v2', v2Url, issued.key);
const receiver = await openReceiver('local', null, v2Url);
const webhook = { webhook_url: receiver.url, webhook_secret: receiver.secret };

// A batch that has ended, with a redelivery, a test webhook and a retry.
const [, , bowTie] = request.jobs;
const ended = await createIdempotently({
  jobs: [smallJob(request), bowTie],
  metadata: { farm: 'Stein', campaign: 1.0 },
  ...webhook,
});
const path = { batch_id: ended };
await finished(api, ended);
const log = z.looseObject({ state: z.string().nullable() });
const delivered = () =>
  waitFor(
    'it is delivered',
    60,
    async () => read(log, await api.call('getDeliveries', { path })),
    ({ state }) => state === 'acknowledged',
  );
await delivered();
await api.call('redeliver', { path });
await delivered();
await api.call('testWebhook', { body: JSON.stringify(webhook) });
const retry = read(
  z.looseObject({ batch_id: z.string() }),
  await api.call('retryBatch', { path }),
).batch_id;
await finished(api, retry);
const published = await batchWithBusEvent();

// More batches than may run concurrently, so that one runs and one waits.
const [area] = request.jobs;
const posted: string[] = [];
for (let at = 0; at < TENANT_BATCHES + 2; at++) {
  posted.push((await create(api, { jobs: [area, area] })).batch_id);
}
const [running = '', waiting = ''] = [posted[0], posted.at(-1)];
await waitFor(
  'it runs',
  120,
  () => statusOf(api, running),
  ({ progress }) => Number(progress) > 0.1,
);
const inProgress = (await itemsOf([running, waiting, tenant, 'DISPATCH', 'SWEEPS'])).filter(
  ({ pk, sk }) =>
    (!isSettled(pk?.S ?? '') || sk?.S?.startsWith('SLOT#')) && !/^(TURN|SWEEP)/.test(sk?.S ?? ''),
);
for (const id of posted) await finished(api, id);
receiver.close();

// Items that a small run does not write are written by their adapters.
const batchQueue = dynamoBatchQueue(table);
await batchQueue.setLastServed(await batchQueue.readLastServed(), tenant);
const scanPositions = dynamoScanPositions(table);
const scans = ['unfinished', 'undelivered'] as const;
const advance = async (scan: (typeof scans)[number], to: string | null) =>
  scanPositions.advance(scan, await scanPositions.readPosition(scan), to);
for (const scan of scans) await advance(scan, `{"of":"${running}"}`);
const rare = (await itemsOf(['DISPATCH', 'SWEEPS', 'TIMES'])).filter(({ sk }) =>
  /^(TURN|SWEEP#.*|TIMES)$/.test(sk?.S ?? ''),
);
for (const scan of scans) await advance(scan, null);
const settled = (await itemsOf([ended, retry, published, tenant, issued.record.digest])).filter(
  ({ pk, sk }) => isSettled(pk?.S ?? '') && !sk?.S?.startsWith('SLOT#'),
);
const { objects, metadata } = await objectsOf([ended, retry]);
// Items in progress have changed since, so only the settled ones are read here.
const keys = settled.map(({ pk, sk }) => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' }));
const items = [...inProgress, ...rare, ...settled];
const written = writeKept({
  version,
  written_at: timestamp(table.clock()),
  items,
  objects,
  metadata,
  read: {
    items: plain(await readItems(table, keys)),
    objects: plain({ ...(await readFrom(workBucket)), ...(await readFrom(resultsBucket)) }),
  },
});
console.log(`${written}: ${items.length} items, ${Object.keys(objects).length} objects`);

/** Partitions of ended batches and of their tenant. */
function isSettled(partition: string): boolean {
  return (
    /^(TENANT|REQUESTS|KEY)#/.test(partition) ||
    [ended, retry, published].some((id) => partition.includes(id))
  );
}

/** A batch that ended on a stage with an event bus, which the local stage has not. */
async function batchWithBusEvent(): Promise<string> {
  const batch = aBatch({ tenant });
  const { batchId, createdAt: at } = batch;
  const batches = dynamoBatchStore(table);
  await batches.create(batch, null);
  const busEvent = { batchId, eventId: randomUUID(), at };
  await batches.finish(batchId, { status: 'failed', completedAt: at, busEvent }, null);
  return batchId;
}

function readFrom(bucket: string): Promise<Record<string, unknown>> {
  const keys = Object.keys(objects).filter((key) => bucketOf(key) === bucket);
  return readObjects({ s3, name: bucket }, keys);
}

function bucketOf(key: string): string {
  return key.startsWith('totals/') ? resultsBucket : workBucket;
}

async function createIdempotently(body: object): Promise<string> {
  const response = await fetch(`${v2Url}/v1/batch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${issued.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'kept-items-1',
    },
    body: JSON.stringify(body),
  });
  return z.looseObject({ batch_id: z.string() }).parse(await response.json()).batch_id;
}

/** Every item whose partition key contains one of these. */
async function itemsOf(names: readonly string[]): Promise<Record<string, AttributeValue>[]> {
  const found: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: table.name })) {
    found.push(...Items.filter(({ pk }) => names.some((name) => pk?.S?.includes(name))));
  }
  return found;
}

/** Those of the batches in both buckets, without rasters. */
async function objectsOf(batches: readonly string[]) {
  const objects: Record<string, string> = {};
  const metadata: Record<string, Record<string, string>> = {};
  for (const bucket of [workBucket, resultsBucket]) {
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: s3 },
      { Bucket: bucket },
    )) {
      for (const { Key = '' } of Contents.filter(
        ({ Key }) => batches.some((id) => Key?.includes(id)) && !Key?.endsWith('.tif'),
      )) {
        const { Body, Metadata = {} } = await s3.send(
          new GetObjectCommand({ Bucket: bucket, Key }),
        );
        objects[Key] = (await Body?.transformToString('base64')) ?? '';
        if (Object.keys(Metadata).length > 0) metadata[Key] = Metadata;
      }
    }
  }
  return { objects, metadata };
}

/** As JSON stores it. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}
