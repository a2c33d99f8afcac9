import type { S3Client } from '@aws-sdk/client-s3';
import { dynamoApiKeys } from '../../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoBatchQueue } from '../../../lambdas/adapters/dynamodb/batch-queue.ts';
import { dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoBusOutbox } from '../../../lambdas/adapters/dynamodb/bus-outbox.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from '../../../lambdas/adapters/dynamodb/charges.ts';
import { dynamoDeliveryLog } from '../../../lambdas/adapters/dynamodb/delivery-log.ts';
import type { Key } from '../../../lambdas/adapters/dynamodb/item-keys.ts';
import { dynamoJobStore } from '../../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore } from '../../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../../lambdas/adapters/dynamodb/patch-batches.ts';
import { dynamoRecentTimes } from '../../../lambdas/adapters/dynamodb/recent-times.ts';
import { dynamoRequestPaces } from '../../../lambdas/adapters/dynamodb/request-paces.ts';
import { dynamoSlots } from '../../../lambdas/adapters/dynamodb/slots.ts';
import { dynamoScanPositions } from '../../../lambdas/adapters/dynamodb/sparse-index.ts';
import type { Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../../../lambdas/adapters/dynamodb/tenants.ts';
import { dynamoTestAllowance } from '../../../lambdas/adapters/dynamodb/test-allowance.ts';
import { s3BlockStore } from '../../../lambdas/adapters/s3/blocks.ts';
import { s3DeliveryBodies } from '../../../lambdas/adapters/s3/delivery-bodies.ts';
import { s3JobRequests } from '../../../lambdas/adapters/s3/job-requests.ts';
import { sdkObjects } from '../../../lambdas/adapters/s3/sdk-objects.ts';
import { polygonIn } from '../../../lambdas/domain/job/job-text.ts';
import { decodePredictionErrors } from '../../../lambdas/domain/total/prediction-errors.ts';

type Groups = Readonly<Record<string, string>>;

interface Reader<Source> {
  /** Matches `<pk> <sk>` of an item, or an object's key. */
  readonly pattern: RegExp;
  read(source: Source, groups: Groups): Promise<unknown>;
}

const outboxEvent = 'batch.completed';

/** Reads each kind of item with its adapter, without changing it. */
const ITEM_READERS: readonly Reader<Table>[] = [
  {
    pattern: /^BATCH#(?<batch>\S+) BATCH$/,
    read: (table, { batch = '' }) => dynamoBatchStore(table).read(batch),
  },
  {
    pattern: /^BATCH#(?<batch>\S+) METADATA$/,
    read: (table, { batch = '' }) => dynamoBatchStore(table).readMetadata(batch),
  },
  {
    // Returns the retry that is already claimed.
    pattern: /^BATCH#(?<batch>\S+) RETRY$/,
    async read(table, { batch = '' }) {
      const claim = { batchId: 'another', jobs: [0] };
      const { batchId } = await dynamoBatchStore(table).claimRetry(batch, claim);
      return batchId;
    },
  },
  {
    pattern: /^BATCH#(?<batch>\S+) JOB#(?<index>\d+)$/,
    read: (table, { batch = '', index }) => dynamoJobStore(table).read(batch, Number(index)),
  },
  {
    pattern: /^JOB#(?<batch>\S+)#(?<index>\d+) PLAN$/,
    read: (table, { batch = '', index }) =>
      dynamoPatchBatchStore(table).readPlan(batch, Number(index)),
  },
  {
    pattern: /^JOB#(?<batch>\S+)#(?<index>\d+) PATCH#(?<idx>\d+)$/,
    read: (table, { batch = '', index, idx }) =>
      dynamoPatchBatchStore(table).read(batch, Number(index), Number(idx)),
  },
  {
    pattern: /^BATCH#(?<batch>\S+) OUTBOX#batch\.finished$/,
    read: (table, { batch = '' }) => dynamoBusOutbox(table).readUnpublished(batch),
  },
  {
    pattern: /^BATCH#(?<batch>\S+) OUTBOX#batch\.completed$/,
    read: (table, { batch = '' }) => dynamoOutboxStore(table).read(batch, outboxEvent),
  },
  {
    pattern: /^BATCH#(?<batch>\S+) DELIVERY#/,
    read: (table, { batch = '' }) => dynamoDeliveryLog(table).attempts(batch, outboxEvent),
  },
  {
    pattern: /^TENANT#(?<tenant>\S+) TENANT$/,
    read: (table, { tenant = '' }) => dynamoTenantRecords(table).find(tenant),
  },
  {
    pattern: /^TENANT#(?<tenant>\S+) QUOTA#(?<day>\S+)$/,
    read: (table, { tenant = '', day = '' }) => dynamoQuotas(table).use(tenant, day),
  },
  {
    pattern: /^TENANT#(?<tenant>\S+) IDEMPOTENCY#(?<key>\S+)$/,
    read: (table, { tenant = '', key = '' }) => dynamoIdempotencyKeys(table).find(tenant, key),
  },
  {
    // None is allowed, so nothing is written.
    pattern: /^REQUESTS#(?<tenant>\S+) WEBHOOK_TEST#(?<minute>\S+)$/,
    read: (table, { tenant = '', minute = '' }) =>
      dynamoTestAllowance(table).take(tenant, minute, 0),
  },
  {
    // Rejected with the stored time, because it is before it.
    pattern: /^REQUESTS#(?<tenant>\S+) REQUESTS$/,
    read: (table, { tenant = '' }) =>
      dynamoRequestPaces(table).take(tenant, { intervalMs: 1, burstMs: 1e15 }, 0, {
        weight: 1,
        latest: 0,
      }),
  },
  {
    pattern: /^KEY#(?<digest>\S+) KEY$/,
    read: (table, { digest = '' }) => dynamoApiKeys(table).find(digest),
  },
  {
    // A tenant's slot is never read, only claimed and freed together with the slot of all tenants.
    pattern: /^(DISPATCH|TENANT#\S+) SLOT#/,
    read: (table) => dynamoSlots(table).readHeld(),
  },
  { pattern: /^DISPATCH TURN$/, read: (table) => dynamoBatchQueue(table).readLastServed() },
  {
    pattern: /^DISPATCH WAITING#/,
    read: (table) => dynamoBatchQueue(table).readTenants(null, 100),
  },
  {
    pattern: /^LINE#(?<tenant>\S+) /,
    read: (table, { tenant = '' }) => dynamoBatchQueue(table).readFirst(tenant, 100),
  },
  {
    // Null when the last scan reached the end of the index.
    pattern: /^SWEEPS SWEEP#(unfinished|(?<undelivered>undelivered))$/,
    read: async (table, { undelivered }) => ({
      place: await dynamoScanPositions(table).readPosition(
        undelivered === undefined ? 'unfinished' : 'undelivered',
      ),
    }),
  },
  { pattern: /^TIMES TIMES$/, read: (table) => dynamoRecentTimes(table).read() },
];

interface Bucket {
  readonly s3: S3Client;
  readonly name: string;
}

const OBJECT_READERS: readonly Reader<Bucket>[] = [
  {
    pattern: /^requests\/(?<batch>[^/]+)\.index\.json$/,
    read: ({ s3, name }, { batch = '' }) => s3JobRequests(sdkObjects(s3, name)).entries(batch),
  },
  {
    pattern: /^requests\/(?<batch>[^/.]+)\.json$/,
    async read({ s3, name }, { batch = '' }) {
      const requests = s3JobRequests(sdkObjects(s3, name));
      const entries = await requests.entries(batch);
      const texts = await Promise.all(entries.map((entry) => requests.job(batch, entry)));
      return texts.map(polygonIn);
    },
  },
  {
    pattern: /^work\/(?<batch>[^/]+)\/(?<index>\d+)\/(?<idx>\d+)\.index\.json$/,
    read: ({ s3, name }, { batch = '', index, idx }) =>
      s3BlockStore(s3, name).readIndex(batch, Number(index), Number(idx)),
  },
  {
    pattern: /^work\/(?<batch>[^/]+)\/(?<index>\d+)\/(?<idx>\d+)\.block$/,
    async read({ s3, name }, { batch = '', index, idx }) {
      const blocks = s3BlockStore(s3, name);
      const block = [batch, Number(index), Number(idx)] as const;
      const head = Buffer.alloc(64);
      await blocks.read(blocks.ref(...block), 0, head);
      return { head: head.toString('hex'), index: await blocks.readIndex(...block) };
    },
  },
  {
    pattern: /^(?<key>work\/[^/]+\/\d+\/errors|totals\/[^/]+\.errors)$/,
    read: async ({ s3, name }, { key = '' }) =>
      decodePredictionErrors(await sdkObjects(s3, name).read(key)),
  },
  {
    pattern: /^deliveries\/(?<batch>[^/]+)\/(?<event>[^/]+)\.json$/,
    async read({ s3, name }, { batch = '', event = '' }) {
      const body = await s3DeliveryBodies(s3, name).read(batch, event);
      return body === null ? null : JSON.parse(Buffer.from(body).toString('utf8'));
    },
  },
];

/** What the adapters read from items, by `<pk> <sk>`. */
export function readItems(table: Table, keys: readonly Key[]): Promise<Record<string, unknown>> {
  return readEach(
    table,
    ITEM_READERS,
    keys.map(({ pk, sk }) => `${pk} ${sk}`),
  );
}

/** What the adapters read from objects of a bucket, by key. */
export function readObjects(
  bucket: Bucket,
  keys: readonly string[],
): Promise<Record<string, unknown>> {
  return readEach(bucket, OBJECT_READERS, keys);
}

async function readEach<Source>(
  source: Source,
  readers: readonly Reader<Source>[],
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  for (const name of names) {
    const reader = readers.find(({ pattern }) => pattern.test(name));
    if (reader === undefined) throw new Error(`no reader for ${name}`);
    read[name] = await reader.read(source, reader.pattern.exec(name)?.groups ?? {});
  }
  return read;
}
