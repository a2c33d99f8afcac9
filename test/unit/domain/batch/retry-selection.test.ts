import { describe, expect, it } from 'vitest';
import { type Retry, retryBatch } from '../../../../lambdas/domain/batch/retry-batch.ts';
import { selectFailedJobs } from '../../../../lambdas/domain/batch/retry-selection.ts';
import { newBatchId } from '../../../../lambdas/domain/identity.ts';
import { TransientFailure } from '../../../../lambdas/domain/step-failure.ts';
import { aBatch } from '../../../support/domain/builders.ts';
import { AT, makePartialBatch, runRetry } from './partial-batch.ts';

describe('retrying chosen jobs of a batch', () => {
  it('runs the requested jobs that failed, or only the retryable failed jobs', async () => {
    const deployed = await makePartialBatch();
    const { deployment, tenant, batchId } = deployed;
    const jobsOf = async (retry: Retry) =>
      retry.kind === 'accepted'
        ? (await deployment.jobRequests.entries(retry.batch.batch_id)).map(
            ({ retryOf }) => retryOf?.index,
          )
        : retry;
    const one = { only: 'failed', jobs: [2, 0] } as const;
    expect(await jobsOf(await retryBatch(deployment, tenant, batchId, one))).toEqual([2]);
    const other = await makePartialBatch();
    const retryable = { only: 'retryable', jobs: null } as const;
    const failedForGood = {
      code: 'model_unknown',
      message: 'no such model',
      location: null,
    } as const;
    expect(
      selectFailedJobs(
        [
          { index: 1, code: failedForGood.code },
          { index: 2, code: 'internal' },
        ],
        retryable,
      ),
    ).toEqual([{ index: 2, code: 'internal' }]);
    expect((await retryBatch(other.deployment, other.tenant, other.batchId, retryable)).kind).toBe(
      'accepted',
    );
  });

  it('returns the same batch for a repeated request, and is rejected for other jobs', async () => {
    const deployed = await makePartialBatch();
    const { deployment, tenant, batchId } = deployed;
    const { batch_id: first } = await runRetry(deployed);
    const same = await retryBatch(deployment, tenant, batchId, { only: 'failed', jobs: [2, 1, 2] });
    expect(same).toMatchObject({ kind: 'accepted', batch: { batch_id: first } });
    const other = { only: 'failed', jobs: [2] } as const;
    expect(await retryBatch(deployment, tenant, batchId, other)).toEqual({
      kind: 'retried',
      by: first,
      jobs: [1, 2],
    });
  });

  it('creates one batch for concurrent requests that select different jobs', async () => {
    const { deployment, tenant, batchId } = await makePartialBatch();
    const retries = await Promise.all(
      [null, [1], [2], null].map((jobs) =>
        retryBatch(deployment, tenant, batchId, { only: 'failed', jobs }).catch(
          (error: unknown) => error,
        ),
      ),
    );
    const accepted = new Set(
      retries.flatMap((retry) =>
        retry instanceof Error || (retry as Retry).kind !== 'accepted'
          ? []
          : [(retry as Extract<Retry, { kind: 'accepted' }>).batch.batch_id],
      ),
    );
    expect(accepted.size).toBe(1);
    const [id = ''] = accepted;
    const batch = await deployment.batches.readBatch(id);
    expect(await deployment.jobRequests.entries(id)).toHaveLength(batch?.total_jobs ?? 0);
  });

  it('creates no second batch if the first is created while a request for other jobs replaces its claim', async () => {
    const deployed = await makePartialBatch();
    const { deployment, tenant, batchId } = deployed;
    const { batches } = deployment;
    const first = { batchId: newBatchId(deployment.clock()), jobs: null };
    await batches.claimRetry(batchId, first);
    const claimRetry: typeof batches.claimRetry = async (id, claim, abandoned) => {
      if (abandoned !== undefined) await runRetry(deployed);
      return batches.claimRetry(id, claim, abandoned);
    };
    const late = { ...deployment, batches: { ...batches, claimRetry } };
    const other = await retryBatch(late, tenant, batchId, { only: 'failed', jobs: [1] });
    expect(other).toEqual({ kind: 'retried', by: first.batchId, jobs: [1, 2] });
    expect((await runRetry(deployed)).batch_id).toBe(first.batchId);
  });

  it('fails transiently if a concurrent request for other jobs replaces the claim first, and succeeds when repeated', async () => {
    const { deployment, tenant, batchId } = await makePartialBatch();
    const { batches } = deployment;
    const replacing = { batchId: newBatchId(deployment.clock()), jobs: [2] };
    await batches.claimRetry(batchId, { batchId: newBatchId(deployment.clock()), jobs: null });
    const claimRetry: typeof batches.claimRetry = async (id, claim, abandoned) => {
      if (abandoned !== undefined) await batches.claimRetry(id, replacing, abandoned);
      return batches.claimRetry(id, claim, abandoned);
    };
    const late = { ...deployment, batches: { ...batches, claimRetry } };
    const one = { only: 'failed', jobs: [1] } as const;
    await expect(retryBatch(late, tenant, batchId, one)).rejects.toThrow(TransientFailure);
    expect((await retryBatch(deployment, tenant, batchId, one)).kind).toBe('accepted');
  });

  it('may select other jobs if the quota did not admit the first selection', async () => {
    const { deployment, tenant, batchId } = await makePartialBatch();
    const limits = { jobsPerDay: 2 };
    const limit = { jobs: 2, squareMetres: 1e9 };
    const day = new Date().toISOString().slice(0, 10);
    // Finishing the batch refunded two jobs that were never charged.
    const wanted = { jobs: 3, squareMetres: 0 };
    await deployment.batches.create(aBatch({ tenant }), null, {
      day,
      wanted,
      limit,
      idempotency: null,
    });
    await deployment.tenants.create({ tenant, createdAt: AT, disabledAt: null, limits });
    expect((await retryBatch(deployment, tenant, batchId)).kind).toBe('over-quota');
    const one = { only: 'failed', jobs: [1] } as const;
    const retry = await retryBatch(deployment, tenant, batchId, one);
    expect(retry).toMatchObject({ kind: 'accepted', batch: { total_jobs: 1 } });
    expect(await retryBatch(deployment, tenant, batchId)).toMatchObject({
      kind: 'retried',
      jobs: [1],
    });
  });

  it('is rejected if no selected job has failed, or a selected job does not exist', async () => {
    const { deployment, tenant, batchId } = await makePartialBatch();
    const retry = (jobs: readonly number[]) =>
      retryBatch(deployment, tenant, batchId, { only: 'failed', jobs });
    expect(await retry([0])).toEqual({ kind: 'refused', because: 'nothing selected' });
    expect(await retry([1, 3])).toEqual({ kind: 'job-unknown', position: 1, totalJobs: 3 });
  });
});
