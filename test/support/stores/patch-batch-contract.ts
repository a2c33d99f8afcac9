import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import { AT, beginBatch, createBatch, INTERNAL, LATER } from '../domain/begun-batch.ts';
import { aBlock, aPlannedJob, RESULT } from '../domain/builders.ts';

export function patchBatchContract(name: string, open: () => Stores): void {
  describe(`a patch-batch in ${name}`, () => {
    it('keeps the time of its first start', async () => {
      const { patchBatches, batchId } = await beginBatch(open());
      expect(await patchBatches.start(batchId, 0, 1, AT)).toBe('changed');
      expect(await patchBatches.start(batchId, 0, 1, LATER)).toBe('changed');
      expect(await patchBatches.readPatchBatch(batchId, 0, 1)).toEqual({
        patch_batch_idx: 1,
        status: 'processing',
        created_at: AT,
        updated_at: LATER,
      });
    });

    it('is counted once, however often it completes', async () => {
      const { patchBatches, jobs, batchId } = await beginBatch(open());
      const outcome = { predicted_point_count: 90, inference_duration_ms: 12 };
      expect(await patchBatches.complete(batchId, 0, aBlock(0), outcome, AT)).toBe('unchanged');
      await Promise.all([0, 1, 2].map((idx) => patchBatches.start(batchId, 0, idx, AT)));
      const transitions = await Promise.all(
        [0, 1, 2, 0, 1, 2].map((idx) =>
          patchBatches.complete(batchId, 0, aBlock(idx), outcome, LATER),
        ),
      );
      expect(transitions.filter((transition) => transition === 'changed')).toHaveLength(3);
      expect(await jobs.read(batchId, 0)).toMatchObject({
        completed_patch_batches: 3,
        completed_points: 300,
        predicted_points: 270,
        prediction_ms: 36,
      });
      expect(await patchBatches.readPatchBatch(batchId, 0, 2)).toEqual({
        patch_batch_idx: 2,
        status: 'completed',
        created_at: AT,
        updated_at: LATER,
        ...outcome,
      });
    });

    it('counts no time for a block reused from another job', async () => {
      const { patchBatches, jobs, batchId } = await beginBatch(open());
      await patchBatches.start(batchId, 0, 0, AT);
      const outcome = { predicted_point_count: 90, inference_duration_ms: 12 };
      const reused = { ...outcome, isReused: true };
      expect(await patchBatches.complete(batchId, 0, aBlock(0), reused, LATER)).toBe('changed');
      expect((await jobs.read(batchId, 0))?.prediction_ms).toBe(0);
      expect(await patchBatches.readPatchBatch(batchId, 0, 0)).toMatchObject(outcome);
    });

    it('counts nothing once its job is final', async () => {
      const { patchBatches, jobs, batchId } = await beginBatch(open());
      await patchBatches.start(batchId, 0, 0, AT);
      await jobs.fail(batchId, 0, INTERNAL, AT);
      const outcome = { predicted_point_count: 90, inference_duration_ms: 12 };
      expect(await patchBatches.complete(batchId, 0, aBlock(0), outcome, LATER)).toBe('unchanged');
      expect((await jobs.read(batchId, 0))?.completed_patch_batches).toBe(0);
      expect((await patchBatches.readPatchBatch(batchId, 0, 0))?.status).toBe('processing');
    });

    it.each(['failed', 'completed', 'not started'] as const)(
      'is not written by a step while its job is %s',
      async (ended) => {
        const stores = open();
        const { patchBatches, jobs } = stores;
        const { batch_id: batchId } = await createBatch(stores.batches);
        if (ended !== 'not started') await jobs.begin(batchId, 0, aPlannedJob(), AT);
        if (ended === 'failed') await jobs.fail(batchId, 0, INTERNAL, AT);
        if (ended === 'completed') await jobs.complete(batchId, 0, AT, RESULT);
        const failure = { code: 'internal', reason: 'ours' } as const;
        expect(await patchBatches.start(batchId, 0, 0, LATER)).toBe('unchanged');
        expect(await patchBatches.fail(batchId, 0, 0, failure, LATER)).toBe('unchanged');
        expect(await patchBatches.readPatchBatch(batchId, 0, 0)).toBeNull();
      },
    );

    it('fails from pending or processing, and stays failed', async () => {
      const { patchBatches, batchId } = await beginBatch(open());
      const failure = { code: 'covariate_unavailable', reason: 'river_distance' } as const;
      expect(await patchBatches.fail(batchId, 0, 0, failure, AT)).toBe('changed');
      await patchBatches.start(batchId, 0, 1, AT);
      expect(await patchBatches.fail(batchId, 0, 1, failure, LATER)).toBe('changed');
      expect(await patchBatches.start(batchId, 0, 1, LATER)).toBe('unchanged');
      const outcome = { predicted_point_count: 1, inference_duration_ms: 1 };
      expect(await patchBatches.complete(batchId, 0, aBlock(1), outcome, LATER)).toBe('unchanged');
      expect(await patchBatches.readPatchBatch(batchId, 0, 1)).toEqual({
        patch_batch_idx: 1,
        status: 'failed',
        created_at: AT,
        updated_at: LATER,
        failure_reason: 'river_distance',
        failure_code: 'covariate_unavailable',
      });
    });

    it('keeps its final state and its count, whichever steps follow in whichever order', async () => {
      const step = fc.tuple(fc.constantFrom(...WRITES), fc.constantFrom(0, 1, 2));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const stores = open();
          const { batch_id: batchId } = await createBatch(stores.batches);
          let before = await finalStates(stores, batchId);
          for (const step of steps) {
            await apply(stores, batchId, step);
            const after = await finalStates(stores, batchId);
            expect(after).toMatchObject(before);
            before = after;
          }
          const records = await stores.patchBatches.listPatchBatches(batchId, 0, 0, 3);
          const completed = records.filter(({ status }) => status === 'completed').length;
          const job = await stores.jobs.read(batchId, 0);
          expect(job?.completed_patch_batches ?? 0).toBe(completed);
          expect(job?.completed_points ?? 0).toBe(completed * 100);
        }),
        { numRuns: 20 },
      );
    });

    it('is found by ranges of indexes, which omit patch-batches that are still pending', async () => {
      const { patchBatches, batchId } = await beginBatch(open());
      for (const idx of [0, 2, 11]) await patchBatches.start(batchId, 0, idx, AT);
      const idxs = async (first: number, end: number) =>
        (await patchBatches.listPatchBatches(batchId, 0, first, end)).map(
          ({ patch_batch_idx }) => patch_batch_idx,
        );
      expect(await idxs(0, 12)).toEqual([0, 2, 11]);
      expect(await idxs(1, 11)).toEqual([2]);
      expect(await idxs(5, 5)).toEqual([]);
    });
  });
}

/** Names of a step's writes on job 0 and patch-batch `idx`. */
const WRITES = ['begin', 'start', 'finish', 'fail', 'complete job', 'fail job'] as const;
type Write = readonly [(typeof WRITES)[number], 0 | 1 | 2];

async function apply(stores: Stores, batchId: string, [write, idx]: Write): Promise<unknown> {
  const { jobs, patchBatches } = stores;
  const failure = { code: 'internal', reason: 'ours' } as const;
  const outcome = { predicted_point_count: 90, inference_duration_ms: 1 };
  switch (write) {
    case 'begin':
      return jobs.begin(batchId, 0, aPlannedJob(), AT);
    case 'start':
      return patchBatches.start(batchId, 0, idx, AT);
    case 'finish':
      return patchBatches.complete(batchId, 0, aBlock(idx), outcome, AT);
    case 'fail':
      return patchBatches.fail(batchId, 0, idx, failure, AT);
    case 'complete job':
      return jobs.complete(batchId, 0, AT, RESULT);
    case 'fail job':
      return jobs.fail(batchId, 0, INTERNAL, AT);
  }
}

/** Returns the final records of the batch's job 0 and its patch-batches, by name. */
async function finalStates({ jobs, patchBatches }: Stores, batchId: string) {
  const job = await jobs.read(batchId, 0);
  const records = await patchBatches.listPatchBatches(batchId, 0, 0, 3);
  const final = records.filter(({ status }) => status !== 'processing');
  return {
    ...(job === null || job.status === 'processing' ? {} : { job }),
    ...Object.fromEntries(final.map((record) => [`patch-batch ${record.patch_batch_idx}`, record])),
  };
}
