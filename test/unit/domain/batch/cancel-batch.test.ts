import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../../lambdas/domain/admission/quota.ts';
import type { Webhook } from '../../../../lambdas/domain/batch/batch.ts';
import {
  type CancelBatchPorts,
  cancelBatch,
} from '../../../../lambdas/domain/batch/cancel-batch.ts';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { retryBatch } from '../../../../lambdas/domain/batch/retry-batch.ts';
import { planJob } from '../../../../lambdas/domain/job/planning/plan-job.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { reconcileBatch } from '../../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { withRuns } from '../../../../local/in-memory/ports.ts';
import { aBatch, aPlannedJob, RESULT } from '../../../support/domain/builders.ts';
import { aDeployment, type Deployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD } from '../../../support/domain/polygons.ts';
import { plan, runJob } from '../../../support/domain/run-job.ts';

const AT = '2026-03-01T10:00:00.000Z';
const WEBHOOK: Webhook = { url: 'https://example.org/hook', secret_ciphertext: null, jobs: 'full' };

async function startBatch(jobs: number) {
  const deployment = aDeployment();
  const requests = Array.from({ length: jobs }, () => ({ polygon: FIELD, year: 2024 }));
  const { batch_id: batchId, tenant } = await postBatch(deployment, requests, { webhook: WEBHOOK });
  await deployment.batches.start(batchId, AT);
  await deployment.runner.start({ batch_id: batchId, total_jobs: jobs, copies: false });
  return { deployment, batchId, tenant };
}

const codesOf = async (deployment: Deployment, batchId: string) =>
  (await deployment.jobs.list(batchId)).map((job) =>
    job.status === 'failed' ? job.error.code : job.status,
  );

async function cancelAndFinish(deployment: Deployment, tenant: string, batchId: string) {
  await cancelBatch(deployment, tenant, batchId);
  expect(await reconcileBatch(deployment, batchId)).toBe('cancelled');
  return deployment.batches.readBatch(batchId);
}

describe('cancelling a batch', () => {
  it('stops its run, shows the request and changes no job', async () => {
    const { deployment, batchId, tenant } = await startBatch(3);
    await deployment.jobs.begin(batchId, 0, aPlannedJob(), AT);
    await deployment.jobs.complete(batchId, 0, AT, RESULT);
    await deployment.jobs.begin(batchId, 1, aPlannedJob(), AT);
    const cancelled = await cancelBatch(deployment, tenant, batchId);
    expect(cancelled).toMatchObject({
      kind: 'accepted',
      finished: false,
      view: { status: 'processing', completed_tasks: 1, failed_tasks: 0, pending_tasks: 2 },
    });
    const requestedAt = (await deployment.batches.readBatch(batchId))?.cancel_requested_at;
    expect(requestedAt).toBeDefined();
    expect(cancelled).toMatchObject({ view: { cancel_requested_at: requestedAt } });
    expect(await codesOf(deployment, batchId)).toEqual(['completed', 'processing']);
    expect(deployment.runner.all.get(batchId)?.stopped).toBe(true);
  });

  it('keeps completed jobs, fails the others as cancelled, and queues the webhook once', async () => {
    const { deployment, batchId, tenant } = await startBatch(3);
    await deployment.jobs.begin(batchId, 0, aPlannedJob(), AT);
    await deployment.jobs.complete(batchId, 0, AT, RESULT);
    await deployment.jobs.begin(batchId, 1, aPlannedJob(), AT);
    const ended = await cancelAndFinish(deployment, tenant, batchId);
    expect(ended).toMatchObject({ status: 'partial', completed_jobs: 1 });
    expect(await codesOf(deployment, batchId)).toEqual(['completed', 'cancelled', 'cancelled']);
    expect(await reconcileBatch(deployment, batchId)).toBe('none');
    expect(deployment.scheduled).toHaveLength(1);
  });

  it('gives a queued batch a stopped run, after which the batch is finished as cancelled', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId, tenant } = await postBatch(deployment, [
      { polygon: FIELD, year: 2024 },
    ]);
    await cancelBatch(deployment, tenant, batchId);
    expect(deployment.runner.all.get(batchId)).toMatchObject({
      input: { last_job_index: 0 },
      stopped: true,
    });
    expect(await reconcileBatch(deployment, batchId)).toBe('cancelled');
    expect(await codesOf(deployment, batchId)).toEqual(['cancelled']);
  });

  it('stops a restarted run, even before it starts', async () => {
    const { deployment, batchId, tenant } = await startBatch(1);
    expect(await deployment.batches.claimRestart(batchId, 0, AT)).toBe('changed');
    await cancelBatch(deployment, tenant, batchId);
    expect(deployment.runner.all.get(`${batchId}.1`)?.stopped).toBe(true);
  });

  it('can be repeated until the batch is finished, and the batch cannot be retried before that', async () => {
    const { deployment, batchId, tenant } = await startBatch(1);
    await cancelBatch(deployment, tenant, batchId);
    const first = (await deployment.batches.readBatch(batchId))?.cancel_requested_at;
    expect(await cancelBatch(deployment, tenant, batchId)).toMatchObject({
      kind: 'accepted',
      view: { cancel_requested_at: first },
    });
    const refused = { kind: 'refused', because: 'not finished' };
    expect(await retryBatch(deployment, tenant, batchId)).toEqual(refused);
    await reconcileBatch(deployment, batchId);
    expect(await retryBatch(deployment, tenant, batchId)).toMatchObject({ kind: 'accepted' });
  });

  it('refunds the jobs that were never planned, however often a batch is created and cancelled', async () => {
    const deployment = aDeployment();
    const request = { polygon: FIELD, year: 2024 };
    const { created_at: createdAt, tenant } = aBatch();
    const day = dayOf(createdAt);
    const wanted = { jobs: 3, squareMetres: 30 };
    const limit = { jobs: 4, squareMetres: 40 };
    for (let loop = 0; loop < 5; loop++) {
      const batch = aBatch({ created_at: createdAt });
      await deployment.jobRequests.put(batch.batch_id, [request, request, request]);
      const charge = { day, wanted, limit, idempotency: null };
      expect(await deployment.batches.create(batch, null, charge)).toBe('created');
      await cancelAndFinish(deployment, tenant, batch.batch_id);
      const { used, refunded } = await deployment.quotas.use(tenant, day);
      expect([used.jobs, refunded.jobs]).toEqual([0, 3 * (loop + 1)]);
    }
  });

  it('fails a batch without completed jobs', async () => {
    const { batchId, tenant, deployment } = await startBatch(2);
    const ended = await cancelAndFinish(deployment, tenant, batchId);
    expect(ended).toMatchObject({ status: 'failed', completed_jobs: 0 });
  });

  it('leaves the batch completed if every job finishes meanwhile', async () => {
    const { deployment, batchId, tenant } = await startBatch(1);
    await deployment.jobs.begin(batchId, 0, aPlannedJob(), AT);
    await cancelBatch(deployment, tenant, batchId);
    await deployment.jobs.complete(batchId, 0, AT, RESULT);
    await reconcileBatch(deployment, batchId);
    expect(await deployment.batches.readBatch(batchId)).toMatchObject({ status: 'completed' });
  });

  it('is rejected once the batch is finished, even after a cancellation', async () => {
    const { batchId, tenant, deployment } = await startBatch(1);
    const before = await cancelAndFinish(deployment, tenant, batchId);
    expect(await cancelBatch(deployment, tenant, batchId)).toMatchObject({ kind: 'already-final' });
    expect(await deployment.batches.readBatch(batchId)).toEqual(before);
  });

  it('does not find a batch of another tenant', async () => {
    const { batchId, deployment } = await startBatch(1);
    expect(await cancelBatch(deployment, 'somebody else', batchId)).toEqual({ kind: 'unknown' });
    expect((await deployment.batches.readBatch(batchId))?.cancel_requested_at).toBeUndefined();
  });

  it('is accepted even if only the request could be written, and leaves the rest to the reconciler', async () => {
    const { batchId, tenant, deployment } = await startBatch(1);
    const broken = async () => {
      throw new Error('down');
    };
    const runner = { start: broken, stop: broken };
    const cancelled = await cancelBatch({ ...deployment, runner }, tenant, batchId);
    expect(cancelled).toMatchObject({ kind: 'accepted', finished: false });
    expect(deployment.left).toHaveLength(1);
    expect((await deployment.batches.readBatch(batchId))?.cancel_requested_at).toBeDefined();
  });

  it('prevents later writes by a worker', async () => {
    const { deployment, batchId, tenant } = await startBatch(2);
    await plan(deployment, batchId, 0);
    await cancelAndFinish(deployment, tenant, batchId);
    const before = [
      await deployment.jobs.list(batchId),
      await deployment.batches.readBatch(batchId),
    ];
    expect((await predictPatchBatch(deployment, batchId, 0, 0)).kind).toBe('nothing-to-do');
    expect((await planJob(deployment, batchId, 1)).kind).toBe('nothing-to-do');
    await runJob(deployment, batchId, 1);
    await finishBatch(deployment, batchId);
    expect([
      await deployment.jobs.list(batchId),
      await deployment.batches.readBatch(batchId),
    ]).toEqual(before);
    expect(deployment.blocks.bytes.size).toBe(0);
  });

  it('stops planning as soon as it is requested', async () => {
    const { deployment, batchId } = await startBatch(1);
    await deployment.batches.requestCancel(batchId, AT);
    expect((await planJob(deployment, batchId, 0)).kind).toBe('nothing-to-do');
    expect(await deployment.jobs.list(batchId)).toEqual([]);
  });

  it('fails the batch once, in any order of the reconciler, FinishBatch and cancellations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { deployment, batchId, tenant } = await startBatch(2);
        const slow: CancelBatchPorts = {
          ...deployment,
          batches: {
            ...deployment.batches,
            readBatch: scheduler.scheduleFunction(deployment.batches.readBatch),
            requestCancel: scheduler.scheduleFunction(deployment.batches.requestCancel),
          },
        };
        const finishing = {
          ...deployment,
          batches: {
            ...deployment.batches,
            readBatch: scheduler.scheduleFunction(deployment.batches.readBatch),
          },
          jobs: { ...deployment.jobs, fail: scheduler.scheduleFunction(deployment.jobs.fail) },
        };
        const cancelAndNotice = async () => {
          await cancelBatch(slow, tenant, batchId);
          await reconcileBatch(withRuns(finishing), batchId);
        };
        await scheduler.waitFor(
          Promise.all([cancelAndNotice(), cancelAndNotice(), finishBatch(finishing, batchId)]),
        );
        const cancelled = await deployment.batches.readBatch(batchId);
        expect(cancelled?.status).toBe('failed');
        const codes = await codesOf(deployment, batchId);
        expect(codes).toHaveLength(2);
        for (const code of codes) expect(['cancelled', 'internal']).toContain(code);
        await finishBatch(deployment, batchId);
        expect(await deployment.batches.readBatch(batchId)).toEqual(cancelled);
      }),
      { numRuns: 50 },
    );
  });
});
