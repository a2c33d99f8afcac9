import { beforeEach, describe, expect, it } from 'vitest';
import type { Batch } from '../../../../lambdas/domain/batch/batch.ts';
import { addSeconds, timestamp } from '../../../../lambdas/domain/clock.ts';
import { readBatchDetail } from '../../../../lambdas/domain/dashboard/batch-detail.ts';
import {
  MAX_BATCHES_READ,
  MAX_BATCHES_SHOWN,
  readRunningBatches,
} from '../../../../lambdas/domain/dashboard/running-batches.ts';
import { countRunning, MAX_COUNTED } from '../../../../lambdas/domain/dashboard/running-counts.ts';
import type { OutboxHint } from '../../../../lambdas/domain/delivery/outbox.ts';
import { inMemoryRequests } from '../../../../local/in-memory/files.ts';
import { inPages } from '../../../../local/in-memory/pages.ts';
import { inMemoryStores } from '../../../../local/in-memory/stores.ts';
import {
  aBatch,
  aPlan,
  aPlannedJob,
  RESULT,
  tickingClock,
} from '../../../support/domain/builders.ts';

/** Stores that count their reads. */
function aDeployment() {
  const clock = tickingClock();
  const stores = inMemoryStores(clock);
  const reads = { batches: 0, jobLists: 0 };
  return {
    ...stores,
    jobRequests: inMemoryRequests(),
    clock,
    reads,
    batches: {
      ...stores.batches,
      read: async (batchId: string) => {
        reads.batches += 1;
        return stores.batches.read(batchId);
      },
    },
    jobs: {
      ...stores.jobs,
      list: async (batchId: string) => {
        reads.jobLists += 1;
        return stores.jobs.list(batchId);
      },
    },
    outbox: {
      undelivered: () => inPages<OutboxHint>([]),
    },
  };
}

type Deployment = ReturnType<typeof aDeployment>;

async function posted(deployment: Deployment, changes: Partial<Batch> = {}, ageSeconds = 60) {
  const created = new Date(deployment.clock().getTime() - ageSeconds * 1_000);
  const batch = aBatch(changes, created);
  await deployment.batches.create(batch, null);
  return batch;
}

async function running(deployment: Deployment, changes: Partial<Batch> = {}, ageSeconds = 60) {
  const batch = await posted(deployment, changes, ageSeconds);
  await deployment.batches.start(batch.batchId, addSeconds(batch.createdAt, 1));
  return batch;
}

let deployment: Deployment;
beforeEach(() => {
  deployment = aDeployment();
});

describe('the running batches', () => {
  it('lists running batches, the oldest first, and counts waiting ones', async () => {
    const young = await running(deployment, {}, 30);
    const old = await running(deployment, {}, 300);
    await posted(deployment);
    const batches = await readRunningBatches(deployment);
    expect(batches.running.map(({ batch }) => batch.batchId)).toEqual([old.batchId, young.batchId]);
    expect(batches).toMatchObject({ totalRunning: 2, totalPending: 1, isTruncated: false });
  });

  it('omits final batches, even if the index lists them', async () => {
    const { batchId } = await running(deployment);
    const outcome = { status: 'completed', completedAt: timestamp(deployment.clock()) } as const;
    await deployment.batches.finish(batchId, outcome, null);
    const hints = {
      ...deployment.batches,
      unfinished: () => inPages([batchId]),
    };
    expect((await readRunningBatches({ ...deployment, batches: hints })).totalRunning).toBe(0);
  });

  it('shows the progress, rate and time left of a batch', async () => {
    const { batchId } = await running(deployment, { totalJobs: 4 }, 120);
    for (const index of [0, 1]) {
      await deployment.jobs.begin(batchId, index, aPlannedJob(), timestamp(deployment.clock()));
      await deployment.jobs.complete(batchId, index, timestamp(deployment.clock()), RESULT);
    }
    const [shown] = (await readRunningBatches(deployment)).running;
    expect(shown).toMatchObject({ progress: 0.5, counts: { completed: 2, pending: 2 } });
    // Two jobs in about two minutes: one a minute, and two minutes to go.
    expect(shown?.jobsPerMinute).toBeCloseTo(1, 0);
    expect(shown?.secondsLeft).toBeGreaterThan(100);
    expect(shown?.secondsLeft).toBeLessThan(140);
  });

  it('reads a bounded number of batches, and the jobs of a dozen', async () => {
    for (let count = 0; count < MAX_BATCHES_READ + 60; count += 1) await running(deployment);
    const batches = await readRunningBatches(deployment);
    expect(batches.isTruncated).toBe(true);
    expect(batches.running).toHaveLength(MAX_BATCHES_SHOWN);
    expect(deployment.reads).toEqual({ batches: MAX_BATCHES_READ, jobLists: MAX_BATCHES_SHOWN });
  });
});

describe('the detail of one batch', () => {
  it('has a square for each of 1,000 jobs, pending ones too, and reads its jobs once', async () => {
    const { batchId } = await running(deployment, { totalJobs: 1_000 });
    await deployment.jobRequests.put(
      batchId,
      Array(1_000).fill({ polygon: {}, year: 2020, name: 'Field' }),
    );
    const error = { code: 'outside_coverage', message: 'far away', location: null } as const;
    await deployment.jobs.fail(batchId, 999, error, timestamp(deployment.clock()));
    const detail = await readBatchDetail(deployment, batchId, null);
    expect(detail?.jobs).toHaveLength(1_000);
    expect(detail?.jobs[998]).toMatchObject({ status: 'pending', name: 'Field', error: null });
    expect(detail?.jobs[999]).toMatchObject({ status: 'failed', error });
    expect(deployment.reads.jobLists).toBe(1);
    expect(detail?.patchBatchMap).toBeNull();
  });

  it('draws the patch-batches of the running job at their positions', async () => {
    const { batchId } = await running(deployment, { totalJobs: 2 });
    await deployment.jobRequests.put(batchId, Array(2).fill({ polygon: {}, year: 2020 }));
    const plan = aPlan(3);
    await deployment.patchBatches.writePlan(batchId, 1, plan);
    await deployment.jobs.begin(batchId, 1, aPlannedJob(), timestamp(deployment.clock()));
    await deployment.patchBatches.start(batchId, 1, 2, timestamp(deployment.clock()));
    const patchBatchMap = (await readBatchDetail(deployment, batchId, null))?.patchBatchMap;
    expect(patchBatchMap).toMatchObject({ jobIndex: 1, width: 384, height: 128 });
    expect(patchBatchMap?.patchBatches.map(({ col, status }) => [col, status])).toEqual([
      [0, 'pending'],
      [128, 'pending'],
      [256, 'processing'],
    ]);
  });

  it('is null if there is no such batch', async () => {
    expect(await readBatchDetail(deployment, aBatch().batchId, null)).toBeNull();
  });
});

describe('the counts of what is running', () => {
  it('counts batches by status; a queue of days does not age the batch that runs', async () => {
    await posted(deployment, {}, 500_000);
    const { batchId, tenant } = await posted(deployment, {}, 400_000);
    const claimedAt = timestamp(new Date(deployment.clock().getTime() - 500_000));
    await deployment.slots.claim({ batchId, tenant }, { ofAll: 0, ofTenant: 0 }, claimedAt);
    await deployment.batches.start(batchId, timestamp(deployment.clock()));
    const counts = await countRunning(deployment);
    expect(counts).toMatchObject({ pending: 1, processing: 1, undelivered: 0 });
    expect(counts.oldestRunningSeconds).toBeCloseTo(500, -2);
    expect(counts.oldestQueuedSeconds).toBeCloseTo(500_000, -2);
  });

  it('includes batches that run behind a thousand older ones in the queue', async () => {
    for (let waiting = 0; waiting < MAX_COUNTED; waiting++) await posted(deployment, {}, 900);
    const { batchId, tenant } = await posted(deployment);
    const slot = { ofAll: 0, ofTenant: 0 };
    const claimedAt = timestamp(new Date(deployment.clock().getTime() - 700_000));
    await deployment.slots.claim({ batchId, tenant }, slot, claimedAt);
    const { oldestRunningSeconds } = await countRunning(deployment);
    expect(oldestRunningSeconds).toBeCloseTo(700, -2);
  });

  it('is zero when all is done', async () => {
    expect(await countRunning(deployment)).toEqual({
      pending: 0,
      processing: 0,
      oldestRunningSeconds: 0,
      oldestQueuedSeconds: 0,
      undelivered: 0,
    });
  });

  it('counts a bounded number', async () => {
    const batch = await posted(deployment);
    const endless = async function* () {
      while (true) yield { hints: Array<string>(300).fill(batch.batchId), position: 'on' };
    };
    const counts = await countRunning({
      ...deployment,
      batches: { ...deployment.batches, unfinished: endless },
    });
    expect(counts.pending).toBe(MAX_COUNTED);
  });
});
