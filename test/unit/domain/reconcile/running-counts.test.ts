import { beforeEach, describe, expect, it } from 'vitest';
import { dynamoStores } from '../../../../lambdas/adapters/dynamodb/stores.ts';
import type { Batch } from '../../../../lambdas/domain/batch/batch.ts';
import { timestamp } from '../../../../lambdas/domain/clock.ts';
import { countRunning, MAX_COUNTED } from '../../../../lambdas/domain/reconcile/running-counts.ts';
import { inMemoryTable } from '../../../../local/in-memory/dynamodb/table.ts';
import { aBatch, tickingClock } from '../../../support/domain/builders.ts';

function makeDeployment() {
  const clock = tickingClock();
  return { ...dynamoStores(inMemoryTable(clock)), clock };
}

type Deployment = ReturnType<typeof makeDeployment>;

async function postBatch(deployment: Deployment, changes: Partial<Batch> = {}, ageSeconds = 60) {
  const created = new Date(deployment.clock().getTime() - ageSeconds * 1_000);
  const batch = aBatch(changes, created);
  await deployment.batches.create(batch, null);
  return batch;
}

let deployment: Deployment;
beforeEach(() => {
  deployment = makeDeployment();
});

describe('the counts of running batches', () => {
  it('group batches by status, and measure the age of a running batch without its time in the queue', async () => {
    await postBatch(deployment, {}, 500_000);
    const { batch_id, tenant } = await postBatch(deployment, {}, 400_000);
    const claimedAt = timestamp(new Date(deployment.clock().getTime() - 500_000));
    await deployment.slots.claim({ batch_id, tenant }, { ofAll: 0, ofTenant: 0 }, claimedAt);
    await deployment.batches.start(batch_id, timestamp(deployment.clock()));
    const counts = await countRunning(deployment);
    expect(counts).toMatchObject({ pending: 1, processing: 1, undelivered: 0 });
    expect(counts.oldestRunningSeconds).toBeCloseTo(500, -2);
    expect(counts.oldestQueuedSeconds).toBeCloseTo(500_000, -2);
  });

  it('include running batches that are newer than a thousand queued batches', async () => {
    for (let waiting = 0; waiting < MAX_COUNTED; waiting++) await postBatch(deployment, {}, 900);
    const { batch_id, tenant } = await postBatch(deployment);
    const slot = { ofAll: 0, ofTenant: 0 };
    const claimedAt = timestamp(new Date(deployment.clock().getTime() - 700_000));
    await deployment.slots.claim({ batch_id, tenant }, slot, claimedAt);
    const { oldestRunningSeconds } = await countRunning(deployment);
    expect(oldestRunningSeconds).toBeCloseTo(700, -2);
  });

  it('are zero when no batch is unfinished', async () => {
    expect(await countRunning(deployment)).toEqual({
      pending: 0,
      processing: 0,
      oldestRunningSeconds: 0,
      oldestQueuedSeconds: 0,
      undelivered: 0,
    });
  });

  it('stop at a maximum number', async () => {
    const batch = await postBatch(deployment);
    const endless = async function* () {
      while (true) yield { hints: Array<string>(300).fill(batch.batch_id), position: 'on' };
    };
    const counts = await countRunning({
      ...deployment,
      batches: { ...deployment.batches, unfinished: endless },
    });
    expect(counts.pending).toBe(MAX_COUNTED);
  });
});
