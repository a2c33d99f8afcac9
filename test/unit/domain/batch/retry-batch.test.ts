import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../../lambdas/domain/batch/batch.ts';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { type Retry, retryBatch } from '../../../../lambdas/domain/batch/retry-batch.ts';
import { selected } from '../../../../lambdas/domain/batch/retry-selection.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { finishJob } from '../../../../lambdas/domain/job/finishing/finish-job.ts';
import { polygonIn } from '../../../../lambdas/domain/job/job-text.ts';
import { failPatchBatch } from '../../../../lambdas/domain/patch-batch/fail-patch-batch.ts';
import type { Plan } from '../../../../lambdas/domain/patch-batch/patch-batch.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { inMemoryTenants } from '../../../../local/in-memory/tenants.ts';
import { aBatch, aPlannedJob, RESULT } from '../../../support/domain/builders.ts';
import { aDeployment, type Deployment, posted } from '../../../support/domain/deployment.ts';
import { FIELD, FIELD_AND_SPECK, FLOOD_PLAIN } from '../../../support/domain/polygons.ts';
import { plan, predictAll, runJob } from '../../../support/domain/run.ts';

const AT = '2026-03-01T10:00:00.000Z';
const WEBHOOK = {
  url: 'https://example.org/hook',
  secretCiphertext: 'c2VjcmV0',
  jobs: 'full',
} as const;

/** A completed job, a job with one failed patch-batch, and a job that never started. */
async function partial(done = 0) {
  const deployment = aDeployment();
  const jobs = [
    { polygon: FIELD, year: 2024, name: 'field' },
    { polygon: FLOOD_PLAIN, year: 2024, name: 'flood plain' },
    { polygon: FIELD, year: 2023, name: 'späte Äcker' },
  ];
  const changes = { webhook: WEBHOOK, model: 'meuse-soc' };
  const { batchId, tenant } = await posted(deployment, jobs, changes);
  await deployment.jobs.begin(batchId, 0, aPlannedJob(), AT);
  await deployment.jobs.complete(batchId, 0, AT, RESULT);
  await plan(deployment, batchId, 1);
  await failPatchBatch(deployment, batchId, 1, 0, { Error: 'States.Timeout' });
  for (let idx = 1; idx <= done; idx++) await predictPatchBatch(deployment, batchId, 1, idx);
  await finishJob(deployment, batchId, 1, null);
  await finishBatch(deployment, batchId);
  return { deployment, batchId, tenant, ports: portsOf(deployment) };
}

function portsOf(deployment: Deployment) {
  const started: string[] = [];
  const ports = {
    ...deployment,
    tenants: inMemoryTenants(),
    dispatch: async ({ batchId }: Batch) => void started.push(batchId),
    retentionDays: 30,
    onDispatchFailure: () => {},
  };
  return { ...ports, started };
}

async function retried(deployed: Awaited<ReturnType<typeof partial>>) {
  const retry = await retryBatch(deployed.ports, deployed.tenant, deployed.batchId);
  if (retry.kind !== 'accepted') throw new Error(JSON.stringify(retry));
  return retry.batch;
}

describe('retrying a batch', () => {
  it('creates and starts a new batch from the exact text of its failed jobs', async () => {
    const deployed = await partial();
    const { deployment, batchId, ports } = deployed;
    const batch = await retried(deployed);
    expect(batch).toMatchObject({ totalJobs: 2, retryOf: batchId, model: 'meuse-soc' });
    expect(batch.batchId).not.toBe(batchId);
    expect(ports.started).toEqual([batch.batchId]);
    const text = new TextDecoder().decode(await deployment.jobRequests.text(batch.batchId));
    expect(JSON.parse(text)).toEqual([
      { polygon: FLOOD_PLAIN, year: 2024, name: 'flood plain' },
      { polygon: FIELD, year: 2023, name: 'späte Äcker' },
    ]);
    const entries = await deployment.jobRequests.entries(batch.batchId);
    expect(entries.map(({ name, retryOf }) => [name, retryOf?.index])).toEqual([
      ['flood plain', 1],
      ['späte Äcker', 2],
    ]);
    for (const [index, entry] of entries.entries()) {
      const job = await deployment.jobRequests.job(batch.batchId, entry);
      expect(polygonIn(job)).toEqual(index === 0 ? FLOOD_PLAIN : FIELD);
    }
  });

  it('keeps the webhook and the ciphertext of its secret through repeated retries', async () => {
    const deployed = await partial();
    const first = await retried(deployed);
    expect(first.webhook).toEqual({ ...WEBHOOK, sealedFor: deployed.batchId });
    await finishBatch(deployed.deployment, first.batchId);
    const second = await retried({ ...deployed, batchId: first.batchId });
    expect(second.webhook?.sealedFor).toBe(deployed.batchId);
    expect(second.retryOf).toBe(first.batchId);
  });

  it('returns the same batch to repeated and concurrent requests, and charges its jobs once, as the creation did', async () => {
    const deployed = await partial();
    const day = new Date().toISOString().slice(0, 10);
    const used = async () => (await deployed.ports.quotas.use(deployed.tenant, day)).used;
    const before = await used();
    const batches = await Promise.all([retried(deployed), retried(deployed), retried(deployed)]);
    const again = await retried(deployed);
    expect(new Set([...batches, again].map(({ batchId }) => batchId)).size).toBe(1);
    const entries = await deployed.deployment.jobRequests.entries(again.batchId);
    const charge = entries.reduce((sum, entry) => sum + entry.chargedSquareMetres, 0);
    expect(charge).toBeGreaterThan(0);
    expect(await used()).toEqual({
      jobs: before.jobs + 2,
      squareMetres: before.squareMetres + charge,
    });
  });

  it('returns that batch also when it is finished', async () => {
    const deployed = await partial();
    const { batchId } = await retried(deployed);
    await finishBatch(deployed.deployment, batchId);
    expect(await retried(deployed)).toMatchObject({ batchId, state: { status: 'failed' } });
  });

  it('predicts only the patch-batches that were not done', async () => {
    const deployed = await partial(3);
    const { deployment } = deployed;
    const { batchId } = await retried(deployed);
    await plan(deployment, batchId, 0);
    const kinds: string[] = [];
    for (let idx = 0; idx <= 4; idx++) {
      kinds.push((await predictPatchBatch(deployment, batchId, 0, idx)).kind);
    }
    expect(kinds).toEqual(['completed', 'reused', 'reused', 'reused', 'completed']);
    expect((await deployment.jobs.read(batchId, 0))?.progress?.completedPatchBatches).toBe(5);
  });

  it('predicts again what the store no longer holds', async () => {
    const deployed = await partial(2);
    const { deployment, batchId } = deployed;
    const retry = await retried(deployed);
    await plan(deployment, retry.batchId, 0);
    deployment.blocks.bytes.delete(deployment.blocks.ref(batchId, 1, 1));
    expect((await predictPatchBatch(deployment, retry.batchId, 0, 1)).kind).toBe('completed');
    expect((await predictPatchBatch(deployment, retry.batchId, 0, 2)).kind).toBe('reused');
  });

  it('predicts again a block of another format', async () => {
    const deployed = await partial(2);
    const { deployment, batchId } = deployed;
    const { blocks } = deployment;
    const retry = await retried(deployed);
    await plan(deployment, retry.batchId, 0);
    const index = { ...(await blocks.readIndex(batchId, 1, 1)), format: 'soil-block/0' };
    blocks.indexes.set(blocks.ref(batchId, 1, 1), JSON.stringify(index));
    expect((await predictPatchBatch(deployment, retry.batchId, 0, 1)).kind).toBe('completed');
    expect((await predictPatchBatch(deployment, retry.batchId, 0, 2)).kind).toBe('reused');
  });

  it.each([
    { title: 'no touched parts', change: (plan: Plan) => ({ ...plan, touchedParts: [] }) },
    {
      title: 'other files of the same model',
      change: (plan: Plan) => ({ ...plan, packSha256: '0'.repeat(64) }),
    },
    {
      title: 'no digest of the model',
      change: ({ packSha256, ...plan }: Plan) => plan,
    },
  ])('predicts again if the earlier plan has $title', async ({ change }) => {
    const deployment = aDeployment();
    const { batchId, tenant } = await posted(deployment, [
      { polygon: FIELD_AND_SPECK, year: 2024 },
    ]);
    const drafting = aDeployment();
    const drafted = await posted(drafting, [{ polygon: FIELD_AND_SPECK, year: 2024 }]);
    await plan(drafting, drafted.batchId);
    const ofToday = await drafting.patchBatches.readPlan(drafted.batchId, 0);
    if (ofToday === null) throw new Error('no plan');
    await deployment.patchBatches.writePlan(batchId, 0, change(ofToday));
    await predictAll(deployment, batchId);
    await finishJob(deployment, batchId, 0, { Error: 'Sandbox.Timedout' });
    await finishBatch(deployment, batchId);
    const retry = await retried({ deployment, batchId, tenant, ports: portsOf(deployment) });
    await plan(deployment, retry.batchId);
    expect((await predictPatchBatch(deployment, retry.batchId, 0, 0)).kind).toBe('completed');
  });

  it('writes only the raster if every patch-batch is done', async () => {
    const deployment = aDeployment();
    const { batchId, tenant } = await posted(deployment, [{ polygon: FIELD, year: 2024 }]);
    await predictAll(deployment, batchId);
    await finishJob(deployment, batchId, 0, { Error: 'Sandbox.Timedout' });
    await finishBatch(deployment, batchId);
    const retry = await retried({ deployment, batchId, tenant, ports: portsOf(deployment) });
    const patchBatches = await plan(deployment, retry.batchId);
    for (let idx = 0; idx < patchBatches; idx++) {
      expect((await predictPatchBatch(deployment, retry.batchId, 0, idx)).kind).toBe('reused');
    }
    expect((await runJob(deployment, retry.batchId)).kind).toBe('assembled');
    expect(deployment.rasters.read(retry.batchId, jobIdOf(retry.batchId, 0))).toBeDefined();
  });

  it('runs only the retryable jobs, or some of them, if the request says so', async () => {
    const deployed = await partial();
    const { deployment, ports, tenant, batchId } = deployed;
    const jobsOf = async (retry: Retry) =>
      retry.kind === 'accepted'
        ? (await deployment.jobRequests.entries(retry.batch.batchId)).map(
            ({ retryOf }) => retryOf?.index,
          )
        : retry;
    const one = { only: 'failed', jobs: [2, 0] } as const;
    expect(await jobsOf(await retryBatch(ports, tenant, batchId, one))).toEqual([2]);
    const other = await partial();
    const retryable = { only: 'retryable', jobs: null } as const;
    const failedForGood = {
      code: 'model_unknown',
      message: 'no such model',
      location: null,
    } as const;
    expect(
      selected(
        [
          { index: 1, code: failedForGood.code },
          { index: 2, code: 'internal' },
        ],
        retryable,
      ),
    ).toEqual([{ index: 2, code: 'internal' }]);
    expect((await retryBatch(other.ports, other.tenant, other.batchId, retryable)).kind).toBe(
      'accepted',
    );
  });

  it('is the same batch for another request of the same jobs, and rejected for other jobs', async () => {
    const deployed = await partial();
    const { ports, tenant, batchId } = deployed;
    const { batchId: first } = await retried(deployed);
    const same = await retryBatch(ports, tenant, batchId, { only: 'failed', jobs: [2, 1, 2] });
    expect(same).toMatchObject({ kind: 'accepted', batch: { batchId: first } });
    const other = { only: 'failed', jobs: [2] } as const;
    expect(await retryBatch(ports, tenant, batchId, other)).toEqual({
      kind: 'retried',
      by: first,
      jobs: [1, 2],
    });
  });

  it('creates one batch for concurrent requests of different jobs', async () => {
    const { deployment, ports, tenant, batchId } = await partial();
    const retries = await Promise.all(
      [null, [1], [2], null].map((jobs) =>
        retryBatch(ports, tenant, batchId, { only: 'failed', jobs }).catch(
          (error: unknown) => error,
        ),
      ),
    );
    const accepted = new Set(
      retries.flatMap((retry) =>
        retry instanceof Error || (retry as Retry).kind !== 'accepted'
          ? []
          : [(retry as Extract<Retry, { kind: 'accepted' }>).batch.batchId],
      ),
    );
    expect(accepted.size).toBe(1);
    const [id = ''] = accepted;
    const batch = await deployment.batches.read(id);
    expect(await deployment.jobRequests.entries(id)).toHaveLength(batch?.totalJobs ?? 0);
  });

  it('may select other jobs if the quota did not admit the first selection', async () => {
    const { ports, tenant, batchId } = await partial();
    const limits = { jobsPerDay: 2 };
    const limit = { jobs: 2, squareMetres: 1e9 };
    const day = new Date().toISOString().slice(0, 10);
    // Finishing the batch refunded two jobs that it was never charged.
    const wanted = { jobs: 3, squareMetres: 0 };
    await ports.batches.create(aBatch({ tenant }), null, { day, wanted, limit, idempotency: null });
    await ports.tenants.create({ tenant, createdAt: AT, disabledAt: null, limits });
    expect((await retryBatch(ports, tenant, batchId)).kind).toBe('over-quota');
    const one = { only: 'failed', jobs: [1] } as const;
    const retry = await retryBatch(ports, tenant, batchId, one);
    expect(retry).toMatchObject({ kind: 'accepted', batch: { totalJobs: 1 } });
    expect(await retryBatch(ports, tenant, batchId)).toMatchObject({
      kind: 'retried',
      jobs: [1],
    });
  });

  it('is rejected if no failed job is selected, or a job does not exist', async () => {
    const { ports, tenant, batchId } = await partial();
    const retry = (jobs: readonly number[]) =>
      retryBatch(ports, tenant, batchId, { only: 'failed', jobs });
    expect(await retry([0])).toEqual({ kind: 'refused', because: 'nothing selected' });
    expect(await retry([1, 3])).toEqual({ kind: 'job-unknown', position: 1, totalJobs: 3 });
  });

  it('keeps the name of the batch', async () => {
    const deployment = aDeployment();
    const jobs = [{ polygon: FIELD, year: 2024 }];
    const { batchId, tenant } = await posted(deployment, jobs, { name: 'Äcker' });
    await finishBatch(deployment, batchId);
    expect((await retried({ deployment, batchId, tenant, ports: portsOf(deployment) })).name).toBe(
      'Äcker',
    );
  });

  it('is rejected before the batch is finished, and if no job failed', async () => {
    const deployment = aDeployment();
    const { batchId, tenant } = await posted(deployment, [{ polygon: FIELD, year: 2024 }]);
    const ports = portsOf(deployment);
    const refused = (because: string) => ({ kind: 'refused', because });
    expect(await retryBatch(ports, tenant, batchId)).toEqual(refused('not finished'));
    await runJob(deployment, batchId, 0);
    await finishBatch(deployment, batchId);
    expect(await retryBatch(ports, tenant, batchId)).toEqual(refused('nothing failed'));
    expect(await retryBatch(ports, 'somebody else', batchId)).toEqual({ kind: 'unknown' });
  });

  it('is accepted until three days after its completion, however long it waited', async () => {
    const deployment = aDeployment();
    const created = new Date(Date.now() - 8 * 86_400_000);
    const { batchId, tenant } = await posted(
      deployment,
      [{ polygon: FIELD, year: 2024 }],
      aBatch({ totalJobs: 1 }, created),
    );
    await finishBatch(deployment, batchId);
    const completed = deployment.clock().getTime();
    const later = (days: number) => ({
      ...portsOf(deployment),
      clock: () => new Date(completed + days * 86_400_000),
    });
    expect(await retryBatch(later(3), tenant, batchId)).toEqual({
      kind: 'refused',
      because: 'too old',
    });
    expect(await retryBatch(later(2), tenant, batchId)).toMatchObject({ kind: 'accepted' });
  });
});
