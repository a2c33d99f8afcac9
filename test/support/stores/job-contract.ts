import { describe, expect, it } from 'vitest';
import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import type { JobError } from '../../../lambdas/domain/job/job.ts';
import { SUMMARY } from '../api/batch-with-results.ts';
import { AT, createBatch, INTERNAL, LATER } from '../domain/begun-batch.ts';
import { aPlan, aPlannedJob, RESULT } from '../domain/builders.ts';
import { readCompletedRecord } from '../domain/run-job.ts';

export function jobContract(name: string, open: () => Stores): void {
  describe(`a job in ${name}`, () => {
    it('starts once and is read as it was planned', async () => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      expect(await jobs.read(batchId, 0)).toBeNull();
      expect(await jobs.begin(batchId, 0, aPlannedJob(), AT)).toBe('changed');
      const again = aPlannedJob({ total_patch_batches: 9 });
      expect(await jobs.begin(batchId, 0, again, LATER)).toBe('unchanged');
      expect(await jobs.read(batchId, 0)).toEqual({
        job_index: 0,
        status: 'processing',
        updated_at: AT,
        ...aPlannedJob(),
        completed_patch_batches: 0,
        completed_points: 0,
        predicted_points: 0,
        prediction_ms: 0,
      });
    });

    it('is read for counting with the fields that its batch needs', async () => {
      const { batches, jobs, patchBatches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      expect(await jobs.listCounted(batchId)).toEqual([]);
      const plan = aPlan(3);
      for (const index of [0, 1]) {
        await patchBatches.writePlan(batchId, index, plan);
        await jobs.begin(batchId, index, aPlannedJob(), AT);
      }
      for (const block of plan.blocks.slice(0, 1)) {
        await patchBatches.start(batchId, 0, block.idx, AT);
        const outcome = { predicted_point_count: 90, inference_duration_ms: 5 };
        await patchBatches.complete(batchId, 0, block, outcome, LATER);
      }
      await jobs.complete(batchId, 1, LATER, RESULT);
      await jobs.fail(batchId, 2, INTERNAL, AT);
      expect(await jobs.listCounted(batchId)).toEqual([
        { status: 'processing', updated_at: LATER, point_count: 300, completed_points: 100 },
        { status: 'completed', updated_at: LATER, point_count: 300, completed_points: 0 },
        { status: 'failed', updated_at: AT },
      ]);
    });

    it('completes only from processing, and stays final', async () => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      expect(await jobs.complete(batchId, 0, AT, RESULT)).toBe('unchanged');
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      expect(await jobs.complete(batchId, 0, LATER, RESULT)).toBe('changed');
      expect(await jobs.complete(batchId, 0, AT, RESULT)).toBe('unchanged');
      expect(await jobs.fail(batchId, 0, INTERNAL, AT)).toBe('unchanged');
      expect(await jobs.begin(batchId, 0, aPlannedJob(), AT)).toBe('unchanged');
      expect(await jobs.read(batchId, 0)).toMatchObject({
        status: 'completed',
        completed_at: LATER,
        ...{ shares: 2, prediction_ms: 0 },
        ...RESULT,
      });
    });

    it.each([
      ['with an interval and a stock', SUMMARY],
      [
        'without an interval or a stock',
        {
          ...SUMMARY,
          ...{ lower: null, upper: null, level: null, method: null, stock: null },
          ...{ standard_error: null, stock_per_ha: null },
          ...{ outside_bounds_point_count: null, outside_share: null },
          outside_applicability_share: null,
        },
      ],
      ['of extreme values', { ...SUMMARY, mean: 2 ** 53 + 2, cell_min: -1e70, cell_max: 2e-45 }],
    ])('keeps its summary %s', async (_, summary) => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      await jobs.complete(batchId, 0, LATER, { ...RESULT, summary });
      expect((await readCompletedRecord({ jobs }, batchId)).summary).toEqual(summary);
    });

    it('fails before it is planned, with the error and its location', async () => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      const error: JobError = {
        code: 'geometry_self_intersection',
        message: 'Ring 0 intersects itself',
        location: { ring: 0, vertex: 2, lon: 5.74, lat: 50.973 },
      };
      expect(await jobs.fail(batchId, 2, error, AT)).toBe('changed');
      expect(await jobs.read(batchId, 2)).toEqual({
        job_index: 2,
        status: 'failed',
        completed_at: AT,
        updated_at: AT,
        error,
      });
      expect(await jobs.begin(batchId, 2, aPlannedJob(), LATER)).toBe('unchanged');
    });

    it('keeps what was planned when it fails later', async () => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      await jobs.begin(batchId, 1, aPlannedJob(), AT);
      expect(await jobs.fail(batchId, 1, INTERNAL, LATER)).toBe('changed');
      const failed = await jobs.read(batchId, 1);
      expect(failed?.point_count).toBe(300);
      expect(failed).toMatchObject({ status: 'failed', error: INTERNAL });
    });

    it('records every upload of its raster while it runs, and none later', async () => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      expect(await jobs.registerUpload(batchId, 0, 'too early', AT)).toBe('unchanged');
      expect(await jobs.read(batchId, 0)).toBeNull();
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      expect(await jobs.registerUpload(batchId, 0, 'first', AT)).toBe('changed');
      expect(await jobs.registerUpload(batchId, 0, 'second', LATER)).toBe('changed');
      await jobs.fail(batchId, 0, INTERNAL, LATER);
      expect(await jobs.registerUpload(batchId, 0, 'too late', LATER)).toBe('unchanged');
      expect((await jobs.list(batchId))[0]?.uploads).toEqual(['first', 'second']);
    });

    it('has a summary, which is read without the fields of a newer version', async () => {
      const { batches, jobs } = open();
      const { batch_id: batchId } = await createBatch(batches);
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      const stock = SUMMARY.stock && { ...SUMMARY.stock, newer: 1 };
      const summary = { ...SUMMARY, stock, ...{ newer: 2 } };
      await jobs.complete(batchId, 0, AT, { ...RESULT, summary });
      expect((await readCompletedRecord({ jobs }, batchId)).summary).toEqual(SUMMARY);
    });

    it('is listed by index, and only with its own batch', async () => {
      const { batches, jobs } = open();
      const [{ batch_id: batchId }, other] = [
        await createBatch(batches),
        await createBatch(batches),
      ];
      for (const index of [10, 2, 999]) await jobs.begin(batchId, index, aPlannedJob(), AT);
      await jobs.begin(other.batch_id, 0, aPlannedJob(), AT);
      expect((await jobs.list(batchId)).map(({ job_index }) => job_index)).toEqual([2, 10, 999]);
    });
  });

  describe(`a plan in ${name}`, () => {
    it('is the one that was written first', async () => {
      const { batches, patchBatches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      expect(await patchBatches.readPlan(batchId, 0)).toBeNull();
      expect(await patchBatches.writePlan(batchId, 0, aPlan(400))).toEqual(aPlan(400));
      expect(await patchBatches.writePlan(batchId, 0, aPlan(2))).toEqual(aPlan(400));
      expect(await patchBatches.readPlan(batchId, 0)).toEqual(aPlan(400));
      expect(await patchBatches.readPlan(batchId, 1)).toBeNull();
    });
  });
}
