import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../../../lambdas/domain/batch/batch.ts';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import type { DeliveryQueue } from '../../../../lambdas/domain/delivery/outbox.ts';
import { aPlannedJob, RESULT } from '../../../support/domain/builders.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD } from '../../../support/domain/polygons.ts';

const WEBHOOK: Webhook = {
  url: 'https://example.org/hook',
  secret_ciphertext: null,
  jobs: 'full',
};
const AT = '2026-03-01T10:00:00.000Z';

type End = 'completed' | 'failed' | 'processing' | 'absent';

async function startBatch(ends: readonly End[], webhook: Webhook | null = null) {
  const deployment = aDeployment();
  const jobs = ends.map(() => ({ polygon: FIELD, year: 2024 }));
  const { batch_id: batchId } = await postBatch(deployment, jobs, { webhook });
  for (const [index, end] of ends.entries()) {
    if (end === 'absent') continue;
    await deployment.jobs.begin(batchId, index, aPlannedJob(), AT);
    if (end === 'completed') await deployment.jobs.complete(batchId, index, AT, RESULT);
    const error = { code: 'no_valid_cells', message: 'none', location: null } as const;
    if (end === 'failed') await deployment.jobs.fail(batchId, index, error, AT);
  }
  return { deployment, batchId };
}

describe('finishing a batch', () => {
  it.each([
    { ends: ['completed', 'completed'], status: 'completed' },
    { ends: ['failed', 'failed'], status: 'failed' },
    { ends: ['completed', 'failed'], status: 'partial' },
    { ends: ['completed', 'processing', 'absent'], status: 'partial' },
    { ends: ['absent'], status: 'failed' },
  ] as const)('makes it $status when its jobs are $ends', async ({ ends, status }) => {
    const { deployment, batchId } = await startBatch(ends);
    const finish = await finishBatch(deployment, batchId);
    const completed = ends.filter((end) => end === 'completed').length;
    expect(finish).toMatchObject({
      kind: 'finished',
      status,
      delivery: 'none',
      counts: { completed, failed: ends.length - completed, pending: 0 },
    });
    const batch = await deployment.batches.readBatch(batchId);
    expect(batch).toMatchObject({ status, completed_at: expect.any(String) });
  });

  it('fails only unfinished jobs, including jobs without an item', async () => {
    const { deployment, batchId } = await startBatch([
      'completed',
      'failed',
      'processing',
      'absent',
    ]);
    await finishBatch(deployment, batchId);
    const jobs = await deployment.jobs.list(batchId);
    expect(jobs.map((job) => (job.status === 'failed' ? job.error.code : 'ok'))).toEqual([
      'ok',
      'no_valid_cells',
      'internal',
      'internal',
    ]);
  });

  it('writes the webhook event and queues the first delivery', async () => {
    const { deployment, batchId } = await startBatch(['completed'], WEBHOOK);
    expect(await finishBatch(deployment, batchId)).toMatchObject({ delivery: 'queued' });
    const batch = await deployment.batches.readBatch(batchId);
    const event = await deployment.outbox.read(batchId, 'batch.completed');
    expect(event).toMatchObject({ event: 'batch.completed', state: 'due', attempts: 0 });
    expect(batch).toMatchObject({ completed_at: event?.next_attempt_at });
    expect(deployment.scheduled).toEqual([
      { batch_id: batchId, event: 'batch.completed', attempt: 1 },
    ]);
  });

  it('queues the delivery in its tenant’s message group, even if repeated', async () => {
    const { deployment, batchId } = await startBatch(['completed'], WEBHOOK);
    const asked: string[] = [];
    const deliveryQueue: DeliveryQueue = {
      enqueue: async (_message, _delay, tenant) => void asked.push(tenant),
    };
    await finishBatch({ ...deployment, deliveryQueue }, batchId);
    await finishBatch({ ...deployment, deliveryQueue }, batchId);
    const tenant = (await deployment.batches.readBatch(batchId))?.tenant;
    expect(asked).toEqual([tenant, tenant]);
  });

  it('makes it final only once, and its event stays the same', async () => {
    const { deployment, batchId } = await startBatch(['completed', 'absent'], WEBHOOK);
    await finishBatch(deployment, batchId);
    const before = [
      await deployment.batches.readBatch(batchId),
      await deployment.outbox.read(batchId, 'batch.completed'),
      await deployment.jobs.list(batchId),
    ];
    expect(await finishBatch(deployment, batchId)).toMatchObject({
      kind: 'already-final',
      delivery: 'queued',
    });
    const after = [
      await deployment.batches.readBatch(batchId),
      await deployment.outbox.read(batchId, 'batch.completed'),
      await deployment.jobs.list(batchId),
    ];
    expect(after).toEqual(before);
  });

  it('succeeds even if the message cannot be queued, and reports the error', async () => {
    const { deployment, batchId } = await startBatch(['completed'], WEBHOOK);
    const error = new Error('queue unreachable');
    const deliveryQueue = {
      enqueue: async () => {
        throw error;
      },
    };
    const finish = await finishBatch({ ...deployment, deliveryQueue }, batchId);
    expect(finish).toMatchObject({ kind: 'finished', delivery: 'left-to-reconciler' });
    expect(deployment.left).toEqual([{ batchId, error }]);
    expect(await deployment.outbox.read(batchId, 'batch.completed')).toMatchObject({
      state: 'due',
    });
  });

  it('reports an unknown batch', async () => {
    const { deployment } = await startBatch([]);
    expect(await finishBatch(deployment, 'none')).toEqual({ kind: 'unknown' });
  });
});
