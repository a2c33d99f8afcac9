import { describe, expect, it } from 'vitest';
import { planJob } from '../../../../lambdas/domain/job/planning/plan-job.ts';
import { LIMITS } from '../../../../lambdas/domain/limits.ts';
import { anEnd } from '../../../support/domain/builders.ts';
import { aDeployment, meuse, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD, FIELD_AND_SPECK, FLOOD_PLAIN, TINY } from '../../../support/domain/polygons.ts';
import { planOnlyJob } from './planned-job.ts';

describe('planning a job that overlaps the coverage', () => {
  it('starts it with its patch-batches, its model and its data period', async () => {
    const { deployment, batchId, planning, record } = await planOnlyJob({
      polygon: FIELD,
      year: 2024,
    });
    const plan = await deployment.patchBatches.readPlan(batchId, 0);
    expect(planning).toEqual({ kind: 'planned', patchBatches: plan?.blocks.length, shares: [[0]] });
    expect(record).toMatchObject({
      status: 'processing',
      model: { id: meuse.ref, temporal: 'static', data_period: [1990, 1993] },
      total_patch_batches: plan?.blocks.length,
      completed_patch_batches: 0,
    });
    const points = plan?.blocks.reduce((sum, { pointCount }) => sum + pointCount, 0);
    expect(record?.point_count).toBe(points);
    expect(record?.warnings?.map(({ code }) => code)).toEqual(['static_model']);
    expect(record?.warnings?.[0]?.message).toMatch(/1990–1993.*2024/);
  });

  it('changes the status of a pending batch to processing', async () => {
    const { deployment, batchId } = await planOnlyJob({ polygon: FIELD, year: 2024 });
    expect((await deployment.batches.readBatch(batchId))?.status).toBe('processing');
  });

  it('returns the same result and changes nothing when it is repeated', async () => {
    const { deployment, batchId, planning, record } = await planOnlyJob({
      polygon: FIELD,
      year: 2024,
    });
    expect(await planJob(deployment, batchId, 0)).toEqual(planning);
    expect(await deployment.jobs.read(batchId, 0)).toEqual(record);
  });

  it('uses the plan that was written first, even if its job was not started', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId } = await postBatch(deployment, [
      { polygon: FLOOD_PLAIN, year: 2024 },
    ]);
    const twin = aDeployment();
    const other = await postBatch(twin, [{ polygon: FIELD, year: 2024 }]);
    await planJob(twin, other.batch_id, 0);
    const earlier = await twin.patchBatches.readPlan(other.batch_id, 0);
    if (earlier === null) throw new Error('not planned');
    await deployment.patchBatches.writePlan(batchId, 0, earlier);
    expect(await planJob(deployment, batchId, 0)).toEqual({
      kind: 'planned',
      patchBatches: earlier.blocks.length,
      shares: [earlier.blocks.map(({ idx }) => idx)],
    });
  });

  it('warns if the polygon extends beyond the coverage', async () => {
    const { record } = await planOnlyJob({ polygon: FLOOD_PLAIN, year: 2024 });
    const codes = record?.warnings?.map(({ code }) => code);
    expect(codes).toEqual(['static_model', 'partly_outside_coverage']);
  });

  it('counts the coverage itself as inside, because its edges belong to it', async () => {
    const { coverage } = meuse.manifest;
    const { record } = await planOnlyJob({ polygon: coverage, year: 2024 });
    // This coverage extends about 25 m beyond its grid.
    const codes = record?.warnings?.map(({ code }) => code);
    expect(codes).toEqual(['static_model', 'partly_outside_grid']);
  });

  it('uses the cells that a tiny polygon touches, with a warning', async () => {
    const { record } = await planOnlyJob({ polygon: TINY, year: 2024 });
    expect(record?.point_count).toBeGreaterThan(0);
    expect(record?.warnings?.map(({ code }) => code)).toContain('smaller_than_cell');
  });

  it('uses the cells that a part touches if it covers no cell centre, and names the part', async () => {
    const field = await planOnlyJob({ polygon: FIELD, year: 2024 });
    const { deployment, batchId, record } = await planOnlyJob({
      polygon: FIELD_AND_SPECK,
      year: 2024,
    });
    const more = (record?.point_count ?? 0) - (field.record?.point_count ?? 0);
    expect(more).toBeGreaterThanOrEqual(1);
    expect(more).toBeLessThanOrEqual(4);
    const plan = await deployment.patchBatches.readPlan(batchId, 0);
    expect(plan).toMatchObject({ rule: 'centre', touchedParts: [1] });
    const warning = record?.warnings?.find(({ code }) => code === 'smaller_than_cell');
    expect(warning?.message).toMatch(/^Part 1 of the MultiPolygon/);
  });
});

describe('planning a job that the batch does not have', () => {
  it.each([1, LIMITS.jobsPerBatch - 1])('does nothing at index %i', async (index) => {
    const deployment = aDeployment();
    const { batch_id: batchId } = await postBatch(deployment, [{ polygon: FIELD, year: 2024 }]);
    expect(await planJob(deployment, batchId, index)).toEqual({ kind: 'nothing-to-do' });
    expect(await deployment.jobs.list(batchId)).toEqual([]);
    expect((await deployment.batches.readBatch(batchId))?.status).toBe('pending');
  });
});

describe('planning a job of a final batch', () => {
  it('writes nothing', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId } = await postBatch(deployment, [{ polygon: FIELD, year: 2024 }]);
    const completedAt = new Date().toISOString();
    await deployment.batches.finish(batchId, anEnd('failed', completedAt), null);
    expect(await planJob(deployment, batchId, 0)).toEqual({ kind: 'nothing-to-do' });
    expect(await deployment.jobs.read(batchId, 0)).toBeNull();
    expect(await deployment.patchBatches.readPlan(batchId, 0)).toBeNull();
  });
});
