import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { jobStatusResponse } from '../../../lambdas/api/operations/job-status.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { patchBatchSchema } from '../../../lambdas/domain/patch-batch/read-patch-batch.ts';
import {
  aPlanOf,
  completedPatchBatch,
  failedJob,
  failedPatchBatch,
  processingJob,
  processingPatchBatch,
} from '../../support/api/job-records.ts';
import {
  creationBody,
  inMemoryService,
  jobCall,
  patchBatchCall,
} from '../../support/api/service.ts';

/** Only the members of a page that the specification requires. */
const specifiedPage = z.object({
  total_patch_batches: z.nullable(z.int()),
  completed_patch_batches: z.nullable(z.int()),
  patch_batches: z.array(z.object({ patch_batch_idx: z.int(), status: z.string() })),
  has_more: z.boolean(),
  next_cursor: z.optional(z.catch(z.string(), '')),
});

async function makePlannedJob(total: number) {
  const service = inMemoryService();
  const created = await service.create({ body: creationBody() });
  const { batch_id: batchId, job_ids } = creationResponse.parse(created.body);
  await service.storePlan(batchId, 0, aPlanOf(total));
  await service.storeJob(batchId, processingJob(0, total, 1));
  await service.storePatchBatch(batchId, 0, completedPatchBatch(0));
  if (total > 1) await service.storePatchBatch(batchId, 0, failedPatchBatch(1));
  return { service, batchId, jobId: job_ids[0] ?? '' };
}

describe('the status of a job on V2', () => {
  it('has the job, its progress and its patch-batches', async () => {
    const { service, batchId, jobId } = await makePlannedJob(3);
    const response = await service.jobStatus(jobCall(batchId, jobId));
    expect(response.status).toBe(200);
    const body = jobStatusResponse.parse(response.body);
    expect(body).toMatchObject({
      job_id: jobId,
      status: 'processing',
      total_patch_batches: 3,
      completed_patch_batches: 1,
      has_more: false,
      next_cursor: null,
    });
    expect(body.patch_batches.map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'pending',
    ]);
  });

  it('has no patch-batches before the job is planned', async () => {
    const service = inMemoryService();
    const created = await service.create({ body: creationBody() });
    const { batch_id, job_ids } = creationResponse.parse(created.body);
    const response = await service.jobStatus(jobCall(batch_id, job_ids[0] ?? ''));
    expect(jobStatusResponse.parse(response.body)).toMatchObject({
      status: 'pending',
      total_patch_batches: null,
      completed_patch_batches: null,
      patch_batches: [],
      has_more: false,
    });
  });

  it('has the reason why a job could not be planned', async () => {
    const { service, batchId, jobId } = await makePlannedJob(1);
    await service.storeJob(batchId, failedJob(0));
    const body = jobStatusResponse.parse((await service.jobStatus(jobCall(batchId, jobId))).body);
    expect(body).toMatchObject({ status: 'failed', total_patch_batches: null });
    expect(body.error_message).toContain('crosses itself');
  });

  it('lists each of 400 changing patch-batches once for a client that sends only the cursor', async () => {
    const total = LIMITS.patchBatchesPerJob;
    const { service, batchId, jobId } = await makePlannedJob(total);
    const seen: number[] = [];
    const counts: number[] = [];
    let cursor: string | undefined;
    do {
      const call = jobCall(batchId, jobId, cursor === undefined ? {} : { cursor });
      const body = specifiedPage.parse((await service.jobStatus(call)).body);
      expect(body.total_patch_batches).toBe(total);
      seen.push(...body.patch_batches.map(({ patch_batch_idx }) => patch_batch_idx));
      counts.push(body.completed_patch_batches ?? 0);
      const pages = counts.length;
      await service.storePatchBatch(batchId, 0, completedPatchBatch(pages * 100));
      await service.storeJob(batchId, processingJob(0, total, pages + 1));
      cursor = body.has_more ? body.next_cursor : undefined;
      // Read one page more than expected, in case `has_more` never becomes false.
    } while (cursor !== undefined && counts.length < 5);
    expect(counts).toEqual([1, 2, 3, 4]);
    expect(seen).toEqual(Array.from({ length: total }, (_, idx) => idx));
  });

  it('rejects the cursor of another job', async () => {
    const one = await makePlannedJob(3);
    const first = await one.service.jobStatus(jobCall(one.batchId, one.jobId, { limit: '1' }));
    const cursor = String(jobStatusResponse.parse(first.body).next_cursor);
    const other = await makePlannedJob(3);
    const response = await other.service.jobStatus(jobCall(other.batchId, other.jobId, { cursor }));
    expect(response.status).toBe(400);
    expect(problemBody.parse(response.body).errors?.[0]?.pointer).toBe('/cursor');
  });

  it.each(['no-id', '7d7e3e0c-34ab-5f0e-8d5b-111111111111'])(
    'returns 404 for the job %s',
    async (id) => {
      const { service, batchId } = await makePlannedJob(1);
      const response = await service.jobStatus(jobCall(batchId, id));
      expect(response.status).toBe(404);
      expect(problemBody.parse(response.body).type).toMatch(/\/job-not-found$/);
    },
  );

  it("returns 404 for another tenant's batch, as for an unknown one", async () => {
    const { service, batchId, jobId } = await makePlannedJob(1);
    const calls = [jobCall(batchId, jobId), patchBatchCall(batchId, jobId, '0')];
    const responses = [
      await service.jobStatus({ ...calls[0], tenant: 'beta' }),
      await service.patchBatchStatus({ ...calls[1], tenant: 'beta' }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(problemBody.parse(response.body).type).toMatch(/\/batch-not-found$/);
    }
  });
});

describe('the status of a patch-batch on V2', () => {
  it('has its points, duration and failure reason', async () => {
    const { service, batchId, jobId } = await makePlannedJob(3);
    const read = async (idx: string) =>
      patchBatchSchema.parse(
        (await service.patchBatchStatus(patchBatchCall(batchId, jobId, idx))).body,
      );
    expect(await read('0')).toMatchObject({
      patch_batch_idx: 0,
      status: 'completed',
      failure_reason: null,
      point_count: 10,
      predicted_point_count: 9,
      inference_duration_ms: 12,
    });
    expect((await read('1')).failure_reason).toBe('a covariate could not be read');
    expect(await read('2')).toMatchObject({ status: 'pending', created_at: null });
  });

  it('is failed and final if it was unfinished when its job failed', async () => {
    const { service, batchId, jobId } = await makePlannedJob(4);
    await service.storePatchBatch(batchId, 0, processingPatchBatch(2));
    await service.storeJob(batchId, { ...processingJob(0, 4, 1), ...failedJob(0) });
    const page = jobStatusResponse.parse((await service.jobStatus(jobCall(batchId, jobId))).body);
    expect(page.patch_batches.map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'failed',
      'failed',
    ]);
    expect(page.patch_batches[1]?.failure_reason).toBe('a covariate could not be read');
    for (const patchBatch of page.patch_batches.slice(2)) {
      expect(patchBatch.failure_reason).toBe(
        'the job failed before this patch-batch ended: ring 0 crosses itself at vertex 2',
      );
      const idx = String(patchBatch.patch_batch_idx);
      const alone = await service.patchBatchStatus(patchBatchCall(batchId, jobId, idx));
      expect(alone.body).toEqual(patchBatch);
      expect(alone.headers).not.toHaveProperty('Retry-After');
    }
  });

  it('recommends a poll interval while it is not final', async () => {
    const { service, batchId, jobId } = await makePlannedJob(3);
    const response = await service.patchBatchStatus(patchBatchCall(batchId, jobId, '2'));
    expect(response.headers).toHaveProperty('Retry-After');
  });

  it('is found by upper-case IDs', async () => {
    const { service, batchId, jobId } = await makePlannedJob(3);
    const call = patchBatchCall(batchId.toUpperCase(), jobId.toUpperCase(), '0');
    expect((await service.patchBatchStatus(call)).status).toBe(200);
  });

  it('is 404 for an unknown index, with the valid indices', async () => {
    const { service, batchId, jobId } = await makePlannedJob(3);
    const response = await service.patchBatchStatus(patchBatchCall(batchId, jobId, '3'));
    expect(response.status).toBe(404);
    expect(problemBody.parse(response.body).detail).toContain('from 0 to 2');
  });

  it.each(['-1', 'first', '1.5', '01', '1e2', '99999999999999999999'])(
    'rejects the index %s',
    async (idx) => {
      const { service, batchId, jobId } = await makePlannedJob(3);
      const response = await service.patchBatchStatus(patchBatchCall(batchId, jobId, idx));
      expect(response.status).toBe(400);
      const { errors } = problemBody.parse(response.body);
      expect(errors?.[0]).toMatchObject({
        pointer: '/patch_batch_idx',
        message: expect.stringContaining('a whole number from 0 to 999999; got'),
      });
      expect(errors?.[0]?.message).toContain('whole number from 0');
    },
  );
});

describe('the operations that only V2 has', () => {
  it('return 404 on V1, with their URL on V2', async () => {
    const { service, batchId, jobId } = await makePlannedJob(1);
    const variables = { deployment: 'v1', v2_url: 'https://v2.example/base' };
    const responses = [
      await service.jobStatus({ ...jobCall(batchId, jobId), variables }),
      await service.patchBatchStatus({ ...patchBatchCall(batchId, jobId, '0'), variables }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(404);
      const problem = problemBody.parse(response.body);
      expect(problem.type).toMatch(/\/only-on-v2$/);
      expect(problem.detail).toContain(`https://v2.example/base${problem.instance}`);
    }
  });
});
