import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchIndex } from '../../lambdas/adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import type { Key } from '../../lambdas/adapters/dynamodb/item-keys.ts';
import * as keys from '../../lambdas/adapters/dynamodb/item-keys.ts';
import type { SparseIndex } from '../../lambdas/adapters/dynamodb/sparse-index.ts';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import type { EVENT_TYPE } from '../../lambdas/domain/delivery/batch-finished.ts';
import type { EventName } from '../../lambdas/domain/delivery/outbox.ts';
import { newBatchId } from '../../lambdas/domain/identity.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { createStateTable, type StateTable } from '../support/deployed/state-table.ts';
import { type KeptItems, keptVersions, readKept } from '../support/kept-items/files.ts';
import { readItems, readObjects } from './kept-items/read-all.ts';

const service = inject('service');
const connection = clientConfiguration({
  endpointUrl: service.endpoint_url,
  region: service.region,
});

const ID = newBatchId(new Date());
const OF_EVENTS: Readonly<Record<EventName | typeof EVENT_TYPE, readonly Key[]>> = {
  'batch.completed': [
    keys.outboxKey(ID, 'batch.completed'),
    keys.deliveryKey(ID, 'batch.completed', 1),
  ],
  // The log of a client's deliveries has none of a bus.
  'batch.finished': [keys.outboxKey(ID, 'batch.finished')],
};
const OF_SCANS: Readonly<Record<SparseIndex['name'], Key>> = {
  unfinished: keys.scanPositionKey('unfinished'),
  undelivered: keys.scanPositionKey('undelivered'),
};
type KeyName = Extract<keyof typeof keys, `${string}Key`>;

/** A key of each kind: a new kind of item, event or scan does not compile until it is here. */
const KEYS: Readonly<Record<KeyName, readonly Key[]>> = {
  batchKey: [keys.batchKey(ID)],
  metadataKey: [keys.metadataKey(ID)],
  retryKey: [keys.retryKey(ID)],
  jobKey: [keys.jobKey(ID, 0)],
  planKey: [keys.planKey(ID, 0)],
  patchBatchKey: [keys.patchBatchKey(ID, 0, 0)],
  outboxKey: Object.values(OF_EVENTS).flat(),
  deliveryKey: [],
  tenantKey: [keys.tenantKey('1')],
  quotaKey: [keys.quotaKey('1', '2026-01-01')],
  requestPaceKey: [keys.requestPaceKey('1')],
  webhookTestKey: [keys.webhookTestKey('1', '2026-01-01T00:00')],
  idempotencyKey: [keys.idempotencyKey('1', '1')],
  slotKey: [keys.slotKey(0)],
  tenantSlotKey: [keys.tenantSlotKey('1', 0)],
  lastServedKey: [keys.lastServedKey],
  waitingTenantKey: [keys.waitingTenantKey('1')],
  recentTimesKey: [keys.recentTimesKey],
  queuedBatchKey: [keys.queuedBatchKey('1', ID)],
  scanPositionKey: Object.values(OF_SCANS),
  apiKeyKey: [keys.apiKeyKey('1')],
};

/** Both parts of a key without its ids; with the name of an event or a scan. */
function kindOf({ pk, sk }: Key): string {
  const [, name = ''] = /^(?:OUTBOX|DELIVERY|SWEEP)#([a-z.]+)/.exec(sk) ?? [];
  return [...[pk, sk].map((part) => /^[A-Z_]*/.exec(part)?.[0]), name].join(' ').trim();
}

const keyOf = ({ pk, sk }: KeptItems['items'][number]): Key => ({
  pk: pk?.S ?? '',
  sk: sk?.S ?? '',
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(keptVersions())('what version %s wrote', (version) => {
  const kept = readKept(version);
  const stored = kept.items.map(keyOf);
  let state: StateTable;
  let table: Table;

  beforeAll(async () => {
    state = await createStateTable(service.endpoint_url, service.region);
    const dynamo = new DynamoDBClient(connection);
    for (const Item of kept.items) {
      await dynamo.send(new PutItemCommand({ TableName: state.name, Item }));
    }
    table = { ...state, clock: () => new Date(kept.written_at) };
  });

  afterAll(() => state.delete());

  it('is read by the current adapters with the same result', async () => {
    const read = await readItems(table, stored);
    expect(plain(read)).toMatchObject(kept.read.items);
    for (const [key, value] of Object.entries(read)) expect(value, key).not.toBeNull();
  });

  it('includes a running batch that the indexes find', async () => {
    const open = stored
      .filter(({ pk, sk }) => sk === 'BATCH' && !(`${pk} ${sk}` in kept.read.items))
      .map(({ pk }) => pk.slice('BATCH#'.length));
    const batches = dynamoBatchStore(table);
    const read = await Promise.all(open.map((id) => batches.read(id)));
    expect(read.map((batch) => batch?.state.status)).toContain('processing');
    const unfinished: string[] = [];
    const before = '9999-01-01T00:00:00.000Z';
    for await (const page of batches.unfinished({ before }, null)) unfinished.push(...page.hints);
    expect(unfinished.sort()).toEqual(open.sort());
    const listed = await dynamoBatchIndex(table).newestAfter(read[0]?.tenant ?? '', {}, null, 10);
    expect(listed.map(({ batchId }) => batchId)).toEqual(expect.arrayContaining(open));
  });

  it('has objects that are read with the same result', async () => {
    const s3 = new S3Client({ ...connection, forcePathStyle: true });
    const name = `kept-${randomUUID()}`;
    await s3.send(new CreateBucketCommand({ Bucket: name }));
    for (const [Key, text] of Object.entries(kept.objects)) {
      const Body = Buffer.from(text, 'base64');
      const Metadata = kept.metadata[Key] ?? {};
      await s3.send(new PutObjectCommand({ Bucket: name, Key, Body, Metadata }));
    }
    const read = await readObjects({ s3, name }, Object.keys(kept.objects));
    expect(plain(read)).toMatchObject(kept.read.objects);
    const kinds = ['requests/', '.index.json', '.block', '/errors', '.errors', 'deliveries/'];
    for (const kind of kinds) {
      expect(Object.keys(read).filter((key) => key.includes(kind)).length).toBeGreaterThan(0);
    }
  });
});

it('every kind of item is in a fixture of some version', () => {
  const kept = keptVersions().flatMap((version) => readKept(version).items.map(keyOf).map(kindOf));
  const missing = Object.values(KEYS)
    .flat()
    .map(kindOf)
    .filter((kind) => !kept.includes(kind));
  expect(missing, 'npm start; npx tsx test/e2e/kept-items/write.ts').toEqual([]);
});
