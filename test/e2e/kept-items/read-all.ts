import type { S3Client } from '@aws-sdk/client-s3';
import { dynamoApiKeys } from '../../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoBatchQueue } from '../../../lambdas/adapters/dynamodb/batch-queue.ts';
import { dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoDeliveryLog } from '../../../lambdas/adapters/dynamodb/delivery-log.ts';
import { dynamoIdempotencyKeys } from '../../../lambdas/adapters/dynamodb/idempotency-keys.ts';
import { dynamoJobStore } from '../../../lambdas/adapters/dynamodb/jobs.ts';
import type { Key } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { dynamoOutboxStore } from '../../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../../lambdas/adapters/dynamodb/patch-batches.ts';
import { dynamoQuotas } from '../../../lambdas/adapters/dynamodb/quotas.ts';
import { dynamoRequestPaces } from '../../../lambdas/adapters/dynamodb/request-paces.ts';
import { dynamoScanPositions } from '../../../lambdas/adapters/dynamodb/scan-positions.ts';
import { dynamoSlots } from '../../../lambdas/adapters/dynamodb/slots.ts';
import type { Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../../../lambdas/adapters/dynamodb/tenants.ts';
import { dynamoTestAllowance } from '../../../lambdas/adapters/dynamodb/test-allowance.ts';
import { s3BlockStore } from '../../../lambdas/adapters/s3/blocks.ts';
import { s3DeliveryBodies } from '../../../lambdas/adapters/s3/delivery-bodies.ts';
import { s3JobRequests } from '../../../lambdas/adapters/s3/job-requests.ts';
import { sdkObjects } from '../../../lambdas/adapters/s3/sdk-objects.ts';
import { polygonIn } from '../../../lambdas/domain/job/job-text.ts';

type Groups = Readonly<Record<string, string>>;

interface Reader<Place> {
  /** Over `<pk> <sk>` of an item, or over an object's key. */
  readonly of: RegExp;
  read(place: Place, groups: Groups): Promise<unknown>;
}

const outboxEvent = 'batch.completed';

/** How each kind of item is read by the adapter that knows it; none of them changes a kept item. */
const ITEM_READERS: readonly Reader<Table>[] = [
  {
    of: /^BATCH#(?<batch>\S+) BATCH$/,
    read: (table, { batch = '' }) => dynamoBatchStore(table).read(batch),
  },
  {
    of: /^BATCH#(?<batch>\S+) METADATA$/,
    read: (table, { batch = '' }) => dynamoBatchStore(table).readMetadata(batch),
  },
  {
    // The one that was claimed stays.
    of: /^BATCH#(?<batch>\S+) RETRY$/,
    read: (table, { batch = '' }) => dynamoBatchStore(table).claimRetry(batch, 'another'),
  },
  {
    of: /^BATCH#(?<batch>\S+) JOB#(?<index>\d+)$/,
    read: (table, { batch = '', index }) => dynamoJobStore(table).read(batch, Number(index)),
  },
  {
    of: /^JOB#(?<batch>\S+)#(?<index>\d+) PLAN$/,
    read: (table, { batch = '', index }) =>
      dynamoPatchBatchStore(table).readPlan(batch, Number(index)),
  },
  {
    of: /^JOB#(?<batch>\S+)#(?<index>\d+) PATCH#(?<idx>\d+)$/,
    read: (table, { batch = '', index, idx }) =>
      dynamoPatchBatchStore(table).read(batch, Number(index), Number(idx)),
  },
  {
    of: /^BATCH#(?<batch>\S+) OUTBOX#/,
    read: (table, { batch = '' }) => dynamoOutboxStore(table).read(batch, outboxEvent),
  },
  {
    of: /^BATCH#(?<batch>\S+) DELIVERY#/,
    read: (table, { batch = '' }) => dynamoDeliveryLog(table).attempts(batch, outboxEvent),
  },
  {
    of: /^TENANT#(?<tenant>\S+) TENANT$/,
    read: (table, { tenant = '' }) => dynamoTenantRecords(table).find(tenant),
  },
  {
    of: /^TENANT#(?<tenant>\S+) QUOTA#(?<day>\S+)$/,
    read: (table, { tenant = '', day = '' }) => dynamoQuotas(table).use(tenant, day),
  },
  {
    of: /^TENANT#(?<tenant>\S+) IDEMPOTENCY#(?<key>\S+)$/,
    read: (table, { tenant = '', key = '' }) => dynamoIdempotencyKeys(table).find(tenant, key),
  },
  {
    // None is allowed, so none is taken.
    of: /^REQUESTS#(?<tenant>\S+) WEBHOOK_TEST#(?<minute>\S+)$/,
    read: (table, { tenant = '', minute = '' }) =>
      dynamoTestAllowance(table).take(tenant, minute, 0),
  },
  {
    // Long before anything was due: refused, with the time that is kept.
    of: /^REQUESTS#(?<tenant>\S+) REQUESTS$/,
    read: (table, { tenant = '' }) =>
      dynamoRequestPaces(table).admit(tenant, { intervalMs: 1, aheadMs: 0 }, 0, 1),
  },
  {
    of: /^KEY#(?<digest>\S+) KEY$/,
    read: (table, { digest = '' }) => dynamoApiKeys(table).find(digest),
  },
  {
    // A tenant's slot is only ever claimed and freed, together with the one of all.
    of: /^(DISPATCH|TENANT#\S+) SLOT#/,
    read: (table) => dynamoSlots(table).readHeld(),
  },
  { of: /^DISPATCH TURN$/, read: (table) => dynamoBatchQueue(table).readLastServed() },
  {
    of: /^DISPATCH WAITING#/,
    read: (table) => dynamoBatchQueue(table).readTenants(null, 100),
  },
  {
    of: /^LINE#(?<tenant>\S+) /,
    read: (table, { tenant = '' }) => dynamoBatchQueue(table).readFirst(tenant, 100),
  },
  {
    // Null once the whole index was swept.
    of: /^SWEEPS SWEEP#(unfinished|(?<undelivered>undelivered))$/,
    read: async (table, { undelivered }) => ({
      place: await dynamoScanPositions(table).readPosition(
        undelivered === undefined ? 'unfinished' : 'undelivered',
      ),
    }),
  },
];

/** What no version reads any more, and why it need not. */
const FORGOTTEN: readonly RegExp[] = [
  // Counts a minute, which is over when another version comes; TTL removes it an hour later.
  /^TENANT#\S+ WEBHOOK_TEST#/,
];

export const isForgotten = (name: string): boolean => FORGOTTEN.some((kind) => kind.test(name));

interface Bucket {
  readonly s3: S3Client;
  readonly name: string;
}

const OBJECT_READERS: readonly Reader<Bucket>[] = [
  {
    of: /^requests\/(?<batch>[^/]+)\.index\.json$/,
    read: ({ s3, name }, { batch = '' }) => s3JobRequests(sdkObjects(s3, name)).entries(batch),
  },
  {
    of: /^requests\/(?<batch>[^/.]+)\.json$/,
    async read({ s3, name }, { batch = '' }) {
      const requests = s3JobRequests(sdkObjects(s3, name));
      const entries = await requests.entries(batch);
      const texts = await Promise.all(entries.map((entry) => requests.job(batch, entry)));
      return texts.map(polygonIn);
    },
  },
  {
    of: /^work\/(?<batch>[^/]+)\/(?<index>\d+)\/(?<idx>\d+)\.index\.json$/,
    read: ({ s3, name }, { batch = '', index, idx }) =>
      s3BlockStore(s3, name).readIndex(batch, Number(index), Number(idx)),
  },
  {
    of: /^(?<key>work\/.*\.block)$/,
    async read({ s3, name }, { key = '' }) {
      const head = Buffer.alloc(64);
      await s3BlockStore(s3, name).read(key, 0, head);
      return head.toString('hex');
    },
  },
  {
    of: /^deliveries\/(?<batch>[^/]+)\/(?<event>[^/]+)\.json$/,
    async read({ s3, name }, { batch = '', event = '' }) {
      const body = await s3DeliveryBodies(s3, name).read(batch, event);
      return body === null ? null : JSON.parse(Buffer.from(body).toString('utf8'));
    },
  },
];

/** What the adapters make of items, by `<pk> <sk>`. */
export function readItems(table: Table, keys: readonly Key[]): Promise<Record<string, unknown>> {
  return readEach(
    table,
    ITEM_READERS,
    keys.map(({ pk, sk }) => `${pk} ${sk}`).filter((name) => !isForgotten(name)),
  );
}

/** What the adapters make of objects in the work bucket, by key. */
export function readObjects(
  bucket: Bucket,
  keys: readonly string[],
): Promise<Record<string, unknown>> {
  return readEach(bucket, OBJECT_READERS, keys);
}

async function readEach<Place>(
  place: Place,
  readers: readonly Reader<Place>[],
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  for (const name of names) {
    const reader = readers.find(({ of }) => of.test(name));
    if (reader === undefined) throw new Error(`nothing here reads ${name}`);
    read[name] = await reader.read(place, reader.of.exec(name)?.groups ?? {});
  }
  return read;
}
