import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../lambdas/domain/admission/quota.ts';
import { type Batch, batchRecord } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import {
  formatCopyRunName,
  formatRunName,
  parseRunName,
} from '../../../lambdas/domain/identity.ts';
import { QUEUE_DAYS } from '../../../lambdas/domain/limits.ts';
import { MAX_RESTARTS, reconcileBatch } from '../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { aBatch, aPlannedJob, RESULT } from '../../support/domain/builders.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { FIELD } from '../../support/domain/polygons.ts';
import type { Executions } from '../../support/simulation/executions.ts';
import { storedRecords } from '../../support/stores/stored-records.ts';

async function makeWorld(changes: Partial<Batch> = {}) {
  const deployment = aDeployment();
  const jobs = [1, 2].map(() => ({ polygon: FIELD, year: 2024 }));
  const batch = await postBatch(deployment, jobs);
  const { batch_id: batchId } = batch;
  await storedRecords(deployment.table).storeBatch(
    batchRecord.parse({ ...batch, slot: 0, tenant_slot: 0, ...changes }),
  );
  const codes = async () =>
    (await deployment.jobs.list(batchId)).map((job) =>
      job.status === 'failed' ? job.error.code : job.status,
    );
  const status = async () => (await deployment.batches.readBatch(batchId))?.status;
  return { deployment, batchId, runs: deployment.runner, codes, status };
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const secondsAgo = (seconds: number) => addSeconds(new Date().toISOString(), -seconds);

const endAllRuns = ({ all }: Executions) => {
  for (const execution of all.values()) execution.state = 'ended';
};

describe('a batch whose run is lost', () => {
  it('is restarted three times, as a run named by ID and count, then fails', async () => {
    const { deployment, batchId, runs, codes, status } = await makeWorld();
    expect(await reconcileBatch(deployment, batchId)).toBe('started');
    for (let restart = 1; restart <= MAX_RESTARTS; restart++) {
      endAllRuns(runs);
      expect(await reconcileBatch(deployment, batchId)).toBe('restarted');
      expect(await reconcileBatch(deployment, batchId)).toBe('none');
    }
    expect([...runs.all.keys()]).toEqual([batchId, `${batchId}.1`, `${batchId}.2`, `${batchId}.3`]);
    endAllRuns(runs);
    expect(await reconcileBatch(deployment, batchId)).toBe('finished');
    expect(await status()).toBe('failed');
    expect(await codes()).toEqual(['internal', 'internal']);
    const [first] = await deployment.jobs.list(batchId);
    const error = first?.status === 'failed' ? first.error : null;
    expect(error?.message).toContain(`lost ${MAX_RESTARTS + 1} times`);
  });

  it('is restarted once, however many reconcilers find it at the same time', async () => {
    const { batchId, deployment, runs } = await makeWorld();
    await reconcileBatch(deployment, batchId);
    endAllRuns(runs);
    const repairs = await Promise.all([1, 2, 3, 4].map(() => reconcileBatch(deployment, batchId)));
    expect(repairs.filter((repair) => repair === 'restarted')).toHaveLength(1);
    expect(runs.all.size).toBe(2);
  });

  it('is started with the count that a reconciler claimed before it died', async () => {
    const { batchId, deployment, runs } = await makeWorld();
    await reconcileBatch(deployment, batchId);
    endAllRuns(runs);
    await deployment.batches.claimRestart(batchId, 0, '2026-03-01T12:00:00.000Z');
    expect(await reconcileBatch(deployment, batchId)).toBe('restarted');
    expect(await runs.state(formatRunName(batchId, 1))).toBe('running');
  });

  it('keeps its completed jobs when it is restarted', async () => {
    const { batchId, deployment, runs, codes } = await makeWorld();
    await reconcileBatch(deployment, batchId);
    await deployment.jobs.begin(batchId, 0, aPlannedJob(), '2026-03-01T12:00:00.000Z');
    await deployment.jobs.complete(batchId, 0, '2026-03-01T12:00:01.000Z', RESULT);
    endAllRuns(runs);
    await reconcileBatch(deployment, batchId);
    expect(await codes()).toEqual(['completed']);
  });
});

describe('a batch past its deadline', () => {
  const slotClaimedAt = secondsAgo(24 * HOUR);

  it.each([
    [
      'counted since the batch got its slot, however long it waited',
      { created_at: secondsAgo(6 * DAY), slot_claimed_at: slotClaimedAt },
    ],
    [
      'counted since its creation if the time of its slot is not stored',
      { created_at: slotClaimedAt },
    ],
  ])(
    'is stopped, its finished jobs stay and the others fail; the deadline is %s',
    async (_, times) => {
      const { batchId, deployment, runs, codes, status } = await makeWorld(times);
      await deployment.runner.start({ batch_id: batchId, total_jobs: 2, copies: false });
      await deployment.jobs.begin(batchId, 0, aPlannedJob(), slotClaimedAt);
      await deployment.jobs.complete(batchId, 0, slotClaimedAt, RESULT);
      expect(await reconcileBatch(deployment, batchId)).toBe('finished');
      expect(await codes()).toEqual(['completed', 'deadline']);
      expect(await status()).toBe('partial');
      expect(await runs.state(batchId)).toBe('ended');
    },
  );

  it('is not one that waited for a week and got its slot an hour ago', async () => {
    const times = { created_at: secondsAgo(QUEUE_DAYS * DAY), slot_claimed_at: secondsAgo(HOUR) };
    const { batchId, deployment } = await makeWorld(times);
    await deployment.runner.start({ batch_id: batchId, total_jobs: 2, copies: false });
    expect(await reconcileBatch(deployment, batchId)).toBe('none');
  });
});

describe('a batch that waits for a slot', () => {
  async function makeQueued(ageSeconds: number) {
    const deployment = aDeployment();
    const webhook = { url: 'https://example.com', secret_ciphertext: null, jobs: 'full' } as const;
    const batch = aBatch({ total_jobs: 1, webhook }, new Date(secondsAgo(ageSeconds)));
    const day = dayOf(batch.created_at);
    const wanted = { jobs: 1, squareMetres: 5 };
    const charge = { day, wanted, limit: wanted, idempotency: null };
    await deployment.jobRequests.put(batch.batch_id, [{ polygon: FIELD, year: 2024 }]);
    await deployment.batches.create(batch, null, charge);
    const reconciled = await reconcileBatch(deployment, batch.batch_id);
    const jobsUsed = (await deployment.quotas.use(batch.tenant, day)).used.jobs;
    return { deployment, batchId: batch.batch_id, reconciled, jobsUsed };
  }

  it('stays in the queue for days', async () => {
    const { reconciled, jobsUsed } = await makeQueued(QUEUE_DAYS * DAY - HOUR);
    expect([reconciled, jobsUsed]).toEqual(['joined', 1]);
  });

  it('ends as `deadline` after a week, with an event and a refund', async () => {
    const { deployment, batchId, reconciled, jobsUsed } = await makeQueued(QUEUE_DAYS * DAY);
    expect([reconciled, jobsUsed]).toEqual(['finished', 0]);
    expect((await deployment.batches.readBatch(batchId))?.status).toBe('failed');
    const [job] = await deployment.jobs.list(batchId);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'deadline' } });
    expect(await deployment.outbox.read(batchId, 'batch.completed')).toMatchObject({
      state: 'due',
    });
  });
});

describe('a batch whose cancellation was requested', () => {
  it('is finished by the reconciler and not restarted', async () => {
    const { batchId, deployment, runs, codes } = await makeWorld();
    await deployment.runner.start({ batch_id: batchId, total_jobs: 2, copies: false });
    endAllRuns(runs);
    await deployment.batches.requestCancel(batchId, '2026-03-01T12:00:00.000Z');
    expect(await deployment.batches.claimRestart(batchId, 0, '2026-03-01T12:00:01.000Z')).toBe(
      'unchanged',
    );
    expect(await reconcileBatch(deployment, batchId)).toBe('cancelled');
    expect(await codes()).toEqual(['cancelled', 'cancelled']);
    expect(runs.all.size).toBe(1);
  });
});

describe('the name of a run', () => {
  it('identifies its batch, and its restart or request; other names identify none', () => {
    const batchId = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70';
    for (const number of [0, 1, 12]) {
      const run = { batchId, kind: 'batch', number };
      expect(parseRunName(formatRunName(batchId, number))).toEqual(run);
    }
    const copies = { batchId, kind: 'copies', number: 3 };
    expect(parseRunName(formatCopyRunName(batchId, 3))).toEqual(copies);
    const endings = ['.', '.0', '.x', 'x', '.copy', '.copy0', '.1.2', '.copy1x'];
    for (const name of ['', 'x', 'x.copy1', ...endings.map((ending) => batchId + ending)]) {
      expect(parseRunName(name), name).toBeNull();
    }
  });
});
