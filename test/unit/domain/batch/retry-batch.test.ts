import { describe, expect, it } from 'vitest';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { retryBatch } from '../../../../lambdas/domain/batch/retry-batch.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { finishJob } from '../../../../lambdas/domain/job/finishing/finish-job.ts';
import { entryAt } from '../../../../lambdas/domain/job/job-requests.ts';
import type { Plan } from '../../../../lambdas/domain/patch-batch/patch-batch.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { aBatch } from '../../../support/domain/builders.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD, FIELD_AND_SPECK } from '../../../support/domain/polygons.ts';
import { plan, predictAll, runJob } from '../../../support/domain/run-job.ts';
import { DESTINATION, makePartialBatch, runRetry, WEBHOOK } from './partial-batch.ts';

describe('retrying a batch', () => {
  it('creates and starts a new batch of its failed jobs', async () => {
    const deployed = await makePartialBatch();
    const { deployment, batchId } = deployed;
    const batch = await runRetry(deployed);
    expect(batch).toMatchObject({ total_jobs: 2, retry_of: batchId, model: 'meuse-soc' });
    expect(batch.batch_id).not.toBe(batchId);
    expect([...deployment.runner.all.keys()]).toEqual([batch.batch_id]);
    const entries = await deployment.jobRequests.entries(batch.batch_id);
    expect(entries.map(({ name, year, retryOf }) => [name, year, retryOf?.index])).toEqual([
      ['flood plain', 2024, 1],
      ['späte Äcker', 2023, 2],
    ]);
    const original = await deployment.jobRequests.entries(batchId);
    for (const entry of entries) {
      const job = await deployment.jobRequests.job(batch.batch_id, entry);
      const retriedEntry = entryAt(original, batchId, entry.retryOf?.index ?? -1);
      expect(job).toEqual(await deployment.jobRequests.job(batchId, retriedEntry));
      expect(job.geometry.kind).toBe('valid');
    }
  });

  it('keeps the webhook and the encrypted secret through repeated retries', async () => {
    const deployed = await makePartialBatch();
    const first = await runRetry(deployed);
    expect(first.webhook).toEqual({ ...WEBHOOK, sealed_for: deployed.batchId });
    await finishBatch(deployed.deployment, first.batch_id);
    const second = await runRetry({ ...deployed, batchId: first.batch_id });
    expect(second.webhook?.sealed_for).toBe(deployed.batchId);
    expect(second.retry_of).toBe(first.batch_id);
  });

  it('keeps the destination, and starts a run that copies the new results', async () => {
    const deployed = await makePartialBatch();
    const batch = await runRetry(deployed);
    expect(batch.destination).toEqual(DESTINATION);
    const [execution] = deployed.deployment.runner.all.values();
    expect(execution?.input).toMatchObject({ batch_id: batch.batch_id, copies: true });
  });

  it('returns the same batch to repeated and concurrent requests, and charges its jobs once, like a creation', async () => {
    const deployed = await makePartialBatch();
    const day = new Date().toISOString().slice(0, 10);
    const used = async () => (await deployed.deployment.quotas.use(deployed.tenant, day)).used;
    const before = await used();
    const batches = await Promise.all([runRetry(deployed), runRetry(deployed), runRetry(deployed)]);
    const again = await runRetry(deployed);
    expect(new Set([...batches, again].map(({ batch_id: batchId }) => batchId)).size).toBe(1);
    const entries = await deployed.deployment.jobRequests.entries(again.batch_id);
    const charge = entries.reduce((sum, entry) => sum + entry.chargedSquareMetres, 0);
    expect(charge).toBeGreaterThan(0);
    expect(await used()).toEqual({
      jobs: before.jobs + 2,
      squareMetres: before.squareMetres + charge,
    });
  });

  it('returns the new batch even after it is finished', async () => {
    const deployed = await makePartialBatch();
    const { batch_id: batchId } = await runRetry(deployed);
    await finishBatch(deployed.deployment, batchId);
    expect(await runRetry(deployed)).toMatchObject({ batch_id: batchId, status: 'failed' });
  });

  it('predicts only the unfinished patch-batches', async () => {
    const deployed = await makePartialBatch(3);
    const { deployment } = deployed;
    const { batch_id: batchId } = await runRetry(deployed);
    await plan(deployment, batchId, 0);
    const kinds: string[] = [];
    for (let idx = 0; idx <= 4; idx++) {
      kinds.push((await predictPatchBatch(deployment, batchId, 0, idx)).kind);
    }
    expect(kinds).toEqual(['completed', 'reused', 'reused', 'reused', 'completed']);
    expect((await deployment.jobs.read(batchId, 0))?.completed_patch_batches).toBe(5);
  });

  it('predicts again the blocks that the store no longer has', async () => {
    const deployed = await makePartialBatch(2);
    const { deployment, batchId } = deployed;
    const retry = await runRetry(deployed);
    await plan(deployment, retry.batch_id, 0);
    deployment.blocks.bytes.delete(deployment.blocks.ref(batchId, 1, 1));
    expect((await predictPatchBatch(deployment, retry.batch_id, 0, 1)).kind).toBe('completed');
    expect((await predictPatchBatch(deployment, retry.batch_id, 0, 2)).kind).toBe('reused');
  });

  it('predicts again the blocks that have another format', async () => {
    const deployed = await makePartialBatch(2);
    const { deployment, batchId } = deployed;
    const { blocks } = deployment;
    const retry = await runRetry(deployed);
    await plan(deployment, retry.batch_id, 0);
    const index = { ...(await blocks.readIndex(batchId, 1, 1)), format: 'soil-block/0' };
    blocks.indexes.set(blocks.ref(batchId, 1, 1), JSON.stringify(index));
    expect((await predictPatchBatch(deployment, retry.batch_id, 0, 1)).kind).toBe('completed');
    expect((await predictPatchBatch(deployment, retry.batch_id, 0, 2)).kind).toBe('reused');
  });

  it.each([
    { title: 'no touched parts', change: (plan: Plan) => ({ ...plan, touchedParts: [] }) },
    {
      title: 'different files of the same model',
      change: (plan: Plan) => ({ ...plan, packSha256: '0'.repeat(64) }),
    },
  ])(
    'predicts a completed patch-batch again if the earlier plan has $title',
    async ({ change }) => {
      const deployment = aDeployment();
      const { batch_id: batchId, tenant } = await postBatch(deployment, [
        { polygon: FIELD_AND_SPECK, year: 2024 },
      ]);
      const drafting = aDeployment();
      const drafted = await postBatch(drafting, [{ polygon: FIELD_AND_SPECK, year: 2024 }]);
      await plan(drafting, drafted.batch_id);
      const ofToday = await drafting.patchBatches.readPlan(drafted.batch_id, 0);
      if (ofToday === null) throw new Error('no plan');
      await deployment.patchBatches.writePlan(batchId, 0, change(ofToday));
      await predictAll(deployment, batchId);
      await finishJob(deployment, batchId, 0, { Error: 'Sandbox.Timedout' });
      await finishBatch(deployment, batchId);
      const retry = await runRetry({ deployment, batchId, tenant });
      await plan(deployment, retry.batch_id);
      expect((await predictPatchBatch(deployment, retry.batch_id, 0, 0)).kind).toBe('completed');
    },
  );

  it('reuses every block and writes the raster if every patch-batch was complete', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId, tenant } = await postBatch(deployment, [
      { polygon: FIELD, year: 2024 },
    ]);
    await predictAll(deployment, batchId);
    await finishJob(deployment, batchId, 0, { Error: 'Sandbox.Timedout' });
    await finishBatch(deployment, batchId);
    const retry = await runRetry({ deployment, batchId, tenant });
    const patchBatches = await plan(deployment, retry.batch_id);
    for (let idx = 0; idx < patchBatches; idx++) {
      expect((await predictPatchBatch(deployment, retry.batch_id, 0, idx)).kind).toBe('reused');
    }
    expect((await runJob(deployment, retry.batch_id)).kind).toBe('assembled');
    expect(deployment.rasters.read(retry.batch_id, jobIdOf(retry.batch_id, 0))).toBeDefined();
  });

  it('keeps the name of the batch', async () => {
    const deployment = aDeployment();
    const jobs = [{ polygon: FIELD, year: 2024 }];
    const { batch_id: batchId, tenant } = await postBatch(deployment, jobs, { name: 'Äcker' });
    await finishBatch(deployment, batchId);
    expect((await runRetry({ deployment, batchId, tenant })).name).toBe('Äcker');
  });

  it('is rejected if the batch is not finished or no job failed', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId, tenant } = await postBatch(deployment, [
      { polygon: FIELD, year: 2024 },
    ]);
    const refused = (because: string) => ({ kind: 'refused', because });
    expect(await retryBatch(deployment, tenant, batchId)).toEqual(refused('not finished'));
    await runJob(deployment, batchId, 0);
    await finishBatch(deployment, batchId);
    expect(await retryBatch(deployment, tenant, batchId)).toEqual(refused('nothing failed'));
    expect(await retryBatch(deployment, 'somebody else', batchId)).toEqual({ kind: 'unknown' });
  });

  it('is accepted until three days after the batch is finished, however long it waited before', async () => {
    const deployment = aDeployment();
    const created = new Date(Date.now() - 8 * 86_400_000);
    const { batch_id: batchId, tenant } = await postBatch(
      deployment,
      [{ polygon: FIELD, year: 2024 }],
      aBatch({ total_jobs: 1 }, created),
    );
    await finishBatch(deployment, batchId);
    const completed = deployment.clock().getTime();
    const later = (days: number) => ({
      ...deployment,
      clock: () => new Date(completed + days * 86_400_000),
    });
    expect(await retryBatch(later(3), tenant, batchId)).toEqual({
      kind: 'refused',
      because: 'too old',
    });
    expect(await retryBatch(later(2), tenant, batchId)).toMatchObject({ kind: 'accepted' });
  });
});
