import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchIndex } from '../../lambdas/adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { createStateTable, type StateTable } from '../support/deployed/state-table.ts';
import { keptVersions, readKept } from '../support/kept-items/files.ts';
import { readItems, readObjects } from './kept-items/read-all.ts';

const service = inject('service');
const connection = clientConfiguration({
  endpointUrl: service.endpoint_url,
  region: service.region,
});

/** The prefix of every sort key that the adapters write. */
function kindsInCode(): readonly string[] {
  const folder = 'lambdas/adapters/dynamodb';
  const texts = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8'));
  const kinds = texts.flatMap((text) => [...text.matchAll(/\bsk: ['`]([A-Z_]+)/g)]);
  return [...new Set(kinds.map(([, kind = '']) => kind))].sort();
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(keptVersions())('what version %s wrote', (version) => {
  const kept = readKept(version);
  const keys = kept.items.map(({ pk, sk }) => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' }));
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
    const read = await readItems(table, keys);
    expect(plain(read)).toMatchObject(kept.read.items);
    for (const [key, value] of Object.entries(read)) expect(value, key).not.toBeNull();
  });

  it('includes a running batch that the indexes find', async () => {
    const open = keys
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
      await s3.send(new PutObjectCommand({ Bucket: name, Key, Body }));
    }
    const read = await readObjects({ s3, name }, Object.keys(kept.objects));
    expect(plain(read)).toMatchObject(kept.read.objects);
    const kinds = ['requests/', '.index.json', '.block', 'deliveries/'];
    for (const kind of kinds) {
      expect(Object.keys(read).filter((key) => key.includes(kind)).length).toBeGreaterThan(0);
    }
  });
});

it('every kind of item is in a fixture of some version', () => {
  const kept = keptVersions().flatMap((version) =>
    readKept(version).items.map(({ sk }) => sk?.S?.split('#')[0]),
  );
  expect(kindsInCode().length).toBeGreaterThan(10);
  const missing = kindsInCode().filter((kind) => !kept.includes(kind));
  expect(missing, 'npm start; npx tsx test/e2e/kept-items/write.ts').toEqual([]);
});
