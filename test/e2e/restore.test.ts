import { randomUUID } from 'node:crypto';
import {
  DeleteTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { copyBack } from '../../bin/restore/copy-back.ts';
import { dynamoApiKeys } from '../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { apiKeyKey } from '../../lambdas/adapters/dynamodb/item-keys.ts';
import { dynamoJobStore } from '../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../../lambdas/adapters/dynamodb/patch-batches.ts';
import { readItem } from '../../lambdas/adapters/dynamodb/table.ts';
import { hashApiKey } from '../../lambdas/domain/tenant/api-key.ts';
import { configureClient } from '../../local/emulator/emulator.ts';
import { httpClient } from '../support/api/http-client.ts';
import { openDeployedTable } from '../support/deployed/deployed-table.ts';
import { createStateTable } from '../support/deployed/state-table.ts';
import { aBatch, anEnd, aPlan, aPlannedJob, RESULT } from '../support/domain/builders.ts';
import { runForJson } from './operator-command.ts';

// These tests follow "Backup and restore" in docs/aws.md. The emulator can only restore the current state.

const service = inject('service');

const requestStatus = async (key: string) =>
  (await httpClient(service.v2_url, key)('/v1/batch/01890000-0000-7000-8000-000000000000/status'))
    .status;

describe('a restore of the table', () => {
  it('reports a table that does not exist', async () => {
    const nowhere = runForJson('restore', 'keys', '--from', 'SoilBatch-nowhere');
    await expect(nowhere).rejects.toThrow(/restore: --from: .*SoilBatch-nowhere/);
  });

  it('restores lost keys, but not keys that were revoked after the backup', async () => {
    const table = await openDeployedTable(service);
    const dynamo = new DynamoDBClient(
      configureClient({ endpointUrl: service.endpoint_url, region: service.region }),
    );
    const [lost, revoked] = [
      await runForJson('keys', 'create', '--tenant', 'restored'),
      await runForJson('keys', 'create', '--tenant', 'restored'),
    ];
    // A restored slot of a batch that ran at the time of the backup would never be released.
    const slot = { pk: 'TENANT#restored', sk: 'SLOT#000000' };
    const held = { ...slot, batch_id: randomUUID(), slot: 0 };
    await table.client.send(new PutCommand({ TableName: table.name, Item: held }));
    const restored = `SoilBatch-restored-${randomUUID()}`;
    await dynamo.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: table.name,
        TargetTableName: restored,
        UseLatestRestorableTime: true,
      }),
    );
    try {
      await runForJson('keys', 'revoke', '--id', revoked.id);
      const Key = { pk: `KEY#${hashApiKey(lost.key)}`, sk: 'KEY' };
      for (const lostKey of [Key, slot]) {
        await table.client.send(new DeleteCommand({ TableName: table.name, Key: lostKey }));
      }

      const first = await runForJson('restore', 'keys', '--from', restored);
      expect(first.copied).toBe(1);
      expect(first.present).toBeGreaterThan(0);
      expect(await runForJson('restore', 'everything', '--from', restored)).toMatchObject({
        copied: 0,
      });
      const left = await table.client.send(new GetCommand({ TableName: table.name, Key: slot }));
      expect(left.Item).toBeUndefined();
      expect(await requestStatus(lost.key)).toBe(404);
      expect(await requestStatus(revoked.key)).toBe(401);
    } finally {
      await dynamo.send(new DeleteTableCommand({ TableName: restored }));
      dynamo.destroy();
    }
  });
});

describe('ended keys', () => {
  it('are kept for longer than any backup in which they are still valid', async () => {
    const table = await createStateTable(service.endpoint_url, service.region);
    const keys = dynamoApiKeys(table);
    const end = '2026-03-04T05:06:07.000Z';
    const record = { tenant: 'ended', name: null, createdAt: '2026-01-01T00:00:00.000Z' };
    const key = { ...record, id: 'key_1', expiresAt: null, revokedAt: null };
    await keys.create({ ...key, digest: 'rotated' });
    await keys.endBy('rotated', end);
    await keys.create({ ...key, digest: 'limited', expiresAt: end });
    // AWS point-in-time recovery reaches back 35 days.
    const clock = () => new Date(Date.parse(end) + 35 * 86_400_000);
    for (const digest of ['rotated', 'limited']) {
      expect(await readItem({ ...table, clock }, apiKeyKey(digest))).not.toBeNull();
    }
    await table.delete();
  });
});

describe('a restore after a partial loss', async () => {
  const AT = '2026-03-01T10:00:00.000Z';
  const END = '2026-03-01T10:05:00.000Z';
  const [table, restored] = [
    await createStateTable(service.endpoint_url, service.region),
    await createStateTable(service.endpoint_url, service.region),
  ];
  afterAll(() => Promise.all([table.delete(), restored.delete()]));

  const restoreAll = () => copyBack(table, restored.name, 'everything');

  /** Makes a batch in both tables; in each, its job 0 has completed the given number of patch-batches. */
  async function makeBatch(totalJobs: number, completed: { before: number; since: number }) {
    const batch = aBatch({ total_jobs: totalJobs });
    for (const [at, count] of [
      [restored, completed.before],
      [table, completed.since],
    ] as const) {
      const [jobs, patchBatches] = [dynamoJobStore(at), dynamoPatchBatchStore(at)];
      await dynamoBatchStore(at).create(batch, null);
      await dynamoBatchStore(at).start(batch.batch_id, AT);
      const plan = await patchBatches.writePlan(batch.batch_id, 0, aPlan());
      await jobs.begin(batch.batch_id, 0, aPlannedJob(), AT);
      for (const block of plan.blocks.slice(0, count)) {
        await patchBatches.start(batch.batch_id, 0, block.idx, AT);
        const outcome = { predicted_point_count: 90, inference_duration_ms: 5 };
        await patchBatches.complete(batch.batch_id, 0, block, outcome, AT);
      }
    }
    return batch;
  }

  const lose = (pk: string, sk: string) =>
    table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }));

  it('restores a lost job with the counts of its patch-batches that are completed now', async () => {
    const { batch_id: batchId } = await makeBatch(1, { before: 0, since: 3 });
    await lose(`BATCH#${batchId}`, 'JOB#000000');
    expect((await restoreAll()).batches_to_retry).toEqual([]);
    expect(await dynamoJobStore(table).read(batchId, 0)).toMatchObject({
      completed_patch_batches: 3,
      completed_points: 300,
      predicted_points: 270,
    });
  });

  it('fails jobs whose end was lost, and reports their batch, so that it can be retried', async () => {
    const { batch_id: batchId } = await makeBatch(3, { before: 1, since: 3 });
    const [batches, jobs] = [dynamoBatchStore(table), dynamoJobStore(table)];
    await jobs.complete(batchId, 0, END, RESULT);
    await jobs.begin(batchId, 2, aPlannedJob(), AT);
    await jobs.complete(batchId, 2, END, RESULT);
    await batches.finish(batchId, { ...anEnd('completed', END), completed_jobs: 3 }, null);
    // Job 0 is restored as it was while running; job 1 has no item in either table.
    await lose(`BATCH#${batchId}`, 'JOB#000000');
    expect((await restoreAll()).batches_to_retry).toEqual([batchId]);
    expect(await batches.readBatch(batchId)).toMatchObject({
      status: 'partial',
      completed_at: END,
      completed_jobs: 1,
    });
    const failed = { status: 'failed', error: { code: 'internal' } };
    expect(await jobs.list(batchId)).toMatchObject([failed, failed, { status: 'completed' }]);
    expect((await restoreAll()).batches_to_retry).toEqual([]);
  });

  it('finishes a batch again if its end was lost but not its event', async () => {
    const { batch_id: batchId } = await makeBatch(1, { before: 3, since: 3 });
    const [batches, jobs] = [dynamoBatchStore(table), dynamoJobStore(table)];
    await jobs.complete(batchId, 0, END, RESULT);
    await batches.finish(batchId, anEnd('completed', END), {
      batch_id: batchId,
      event: 'batch.completed',
      event_id: randomUUID(),
      state: 'due',
      attempts: 0,
      next_attempt_at: END,
    });
    await lose(`BATCH#${batchId}`, 'BATCH');
    expect((await restoreAll()).batches_to_retry).toEqual([]);
    expect(await batches.readBatch(batchId)).toMatchObject({
      status: 'completed',
      completed_jobs: 1,
    });
  });
});
