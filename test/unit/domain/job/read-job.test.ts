import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { type ReadJobPorts, readJob } from '../../../../lambdas/domain/job/reading/read-job.ts';
import { AT } from '../../../support/domain/begun-batch.ts';
import { aPlan, aPlannedJob } from '../../../support/domain/builders.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';

const POINTS = 100;
const PREDICTED = 90;

/** During each read of the store, some of the job's patch-batches complete. */
async function makeRunningJob(total: number, completions: readonly number[]) {
  const deployment = aDeployment();
  const { jobs, patchBatches } = deployment;
  const { batch_id: batchId, tenant } = await postBatch(deployment, [{ polygon: {}, year: 2024 }]);
  const plan = aPlan(total);
  await patchBatches.writePlan(batchId, 0, plan);
  const planned = { total_patch_batches: total, point_count: total * POINTS };
  await jobs.begin(batchId, 0, aPlannedJob(planned), AT);
  const left = [...plan.blocks];
  const steps = [...completions];
  const completeSome = async () => {
    for (const block of left.splice(0, steps.shift() ?? 0)) {
      await patchBatches.start(batchId, 0, block.idx, AT);
      const outcome = { predicted_point_count: PREDICTED, inference_duration_ms: 1 };
      await patchBatches.complete(batchId, 0, block, outcome, AT);
    }
  };
  const interrupted = async <Value>(read: Promise<Value>): Promise<Value> => {
    const value = await read;
    await completeSome();
    return value;
  };
  const ports: ReadJobPorts = {
    ...deployment,
    jobs: { read: (...of) => interrupted(jobs.read(...of)) },
    patchBatches: {
      readPlan: (...of) => interrupted(patchBatches.readPlan(...of)),
      listPatchBatches: (...of) => interrupted(patchBatches.listPatchBatches(...of)),
    },
    signer: { sign: () => Promise.reject(new Error('no result yet')) },
  };
  return async (first: number, limit: number) => {
    const page = { first, limit };
    const reading = await readJob(ports, tenant, batchId, jobIdOf(batchId, 0), page);
    if (reading.kind !== 'job') throw new Error(reading.kind);
    const listed = reading.patchBatches.filter(({ status }) => status === 'completed');
    return { ...reading, listed: listed.length };
  };
}

describe('the progress of a job, read while its patch-batches complete,', () => {
  it('counts the patch-batches on the page if the page has all of them', async () => {
    const read = await makeRunningJob(12, [3, 4, 2]);
    const { listed, record, job } = await read(0, 100);
    expect(listed).toBe(3);
    expect(record?.completed_patch_batches).toBe(listed);
    expect(job.predicted_point_count).toBe(listed * PREDICTED);
  });

  it('never falls and never lags behind its page', async () => {
    const pages = fc.array(
      fc.record({ first: fc.nat(150), limit: fc.integer({ min: 1, max: 100 }) }),
    );
    const steps = fc.array(fc.nat(40), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 150 }), steps, pages, async (total, each, all) => {
        const read = await makeRunningJob(total, [...each, total, 0]);
        let before = 0;
        for (const { first, limit } of [...all, { first: 0, limit: 100 }]) {
          const { listed, record } = await read(first, limit);
          const { completed_patch_batches = 0, completed_points = 0 } = record ?? {};
          expect(completed_patch_batches).toBeGreaterThanOrEqual(Math.max(before, listed));
          expect(completed_points).toBe(completed_patch_batches * POINTS);
          before = completed_patch_batches;
        }
      }),
      { numRuns: 60 },
    );
  });
});
