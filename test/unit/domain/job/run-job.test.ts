import { createHash } from 'node:crypto';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, it } from 'vitest';
import { loadApplicability } from '../../../../engine/model/applicability/applicability.ts';
import { readCovariates } from '../../../../engine/model/covariates/covariates.ts';
import type { CellWindow } from '../../../../engine/model/predict-window.ts';
import { createTrainingTest } from '../../../../engine/model/trained-values.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import {
  assembleRaster,
  completeJob,
} from '../../../../lambdas/domain/job/finishing/complete-job.ts';
import { finishJob } from '../../../../lambdas/domain/job/finishing/finish-job.ts';
import { failPatchBatch } from '../../../../lambdas/domain/patch-batch/fail-patch-batch.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import {
  aDeployment,
  type Deployment,
  meuse,
  postBatch,
} from '../../../support/domain/deployment.ts';
import {
  CORNER_OF_THE_GRID,
  FIELD,
  FIELD_AND_SPECK,
  FLOOD_PLAIN,
} from '../../../support/domain/polygons.ts';
import { plan, predictAll, readCompletedRecord, runJob } from '../../../support/domain/run-job.ts';
import { makeVariant } from './planned-job.ts';

async function createJob(polygon: unknown, pack = meuse) {
  const deployment = aDeployment([pack]);
  const { batch_id: batchId } = await postBatch(deployment, [{ polygon, year: 2024 }]);
  return { deployment, batchId };
}

const rasterOf = (deployment: Deployment, batchId: string): Uint8Array => {
  const raster = deployment.rasters.read(batchId, jobIdOf(batchId, 0));
  if (raster === undefined) throw new Error('no raster');
  return raster;
};

async function listCellsOutside(window: CellWindow, isPredicted: (cell: number) => boolean) {
  const covariates = await readCovariates(meuse, window);
  const isOutside = createTrainingTest(meuse.manifest);
  const isApplicable = await loadApplicability(meuse);
  if (covariates === null || isOutside === null || isApplicable === null) {
    throw new Error('the pack does not state its training');
  }
  const cells = Array.from({ length: window.width * window.height }, (_, cell) =>
    covariates.map((values) => values[cell] ?? Number.NaN),
  ).filter((_, cell) => isPredicted(cell));
  return {
    training: cells.filter((features) => isOutside(features, 0)).length,
    applicability: cells.filter((features) => !isApplicable(features, 0)).length,
  };
}

const CRASH = { Error: 'TypeError', Cause: '{"errorType":"TypeError","errorMessage":"boom"}' };

describe('a job that runs to its end', () => {
  it('completes with a raster of the planned window and bands', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    expect((await runJob(deployment, batchId)).kind).toBe('assembled');
    expect((await deployment.jobs.read(batchId, 0))?.status).toBe('completed');
    const { window } = (await deployment.patchBatches.readPlan(batchId, 0)) ?? {};
    const bytes = rasterOf(deployment, batchId);
    const { raster_bytes, raster_etag, summary } = await readCompletedRecord(deployment, batchId);
    expect({ raster_bytes, raster_etag, summary }).toEqual(
      await deployment.rasters.find(batchId, jobIdOf(batchId, 0)),
    );
    expect(raster_bytes).toBe(bytes.length);
    const image = await (await fromArrayBuffer(Uint8Array.from(bytes).buffer)).getImage();
    expect(image.getWidth()).toBe(window?.width);
    expect(image.getHeight()).toBe(window?.height);
    expect(image.getSamplesPerPixel()).toBe(meuse.manifest.bands.length);
  });

  it('counts cells with a value as predicted', async () => {
    const { deployment, batchId } = await createJob(FLOOD_PLAIN);
    await runJob(deployment, batchId);
    const job = await readCompletedRecord(deployment, batchId);
    const bytes = Uint8Array.from(rasterOf(deployment, batchId));
    const [mean] = await (await fromArrayBuffer(bytes.buffer)).readRasters({ samples: [0] });
    if (!(mean instanceof Float32Array)) throw new Error('not float32');
    const valued = mean.filter((value) => value !== meuse.manifest.nodata).length;
    expect(job.predicted_points).toBe(valued);
    expect(valued).toBeGreaterThan(0);
    expect(job.completed_points).toBe(job.point_count);
    expect(job.point_count).toBeGreaterThan(valued);
    expect(job.total_patch_batches).toBeGreaterThan(1);
    const { window } = (await deployment.patchBatches.readPlan(batchId, 0)) ?? {};
    if (window === undefined) throw new Error('no plan');
    const outside = await listCellsOutside(window, (cell) => {
      return mean[cell] !== meuse.manifest.nodata;
    });
    const { outside_share, outside_applicability_share } = job.summary ?? {};
    expect(outside_share).toBeCloseTo(outside.training / valued, 6);
    expect(outside_applicability_share).toBeCloseTo(outside.applicability / valued, 6);
    expect(Math.min(outside.training, outside.applicability)).toBeGreaterThan(100);
  });

  it('predicts cells even for a tiny part of its polygon', async () => {
    const whole = await createJob(FIELD);
    const parts = await createJob(FIELD_AND_SPECK);
    const predicted = await Promise.all(
      [whole, parts].map(async ({ deployment, batchId }) => {
        expect((await runJob(deployment, batchId)).kind).toBe('assembled');
        const { point_count, predicted_points } = await readCompletedRecord(deployment, batchId);
        expect(predicted_points).toBe(point_count);
        return predicted_points;
      }),
    );
    expect((predicted[1] ?? 0) - (predicted[0] ?? 0)).toBeGreaterThanOrEqual(1);
  });

  it('writes tags about its origin into its raster', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId } = await postBatch(deployment, [
      { polygon: FIELD, year: 2024, name: 'Field 7, Stein' },
    ]);
    await runJob(deployment, batchId);
    const bytes = Uint8Array.from(rasterOf(deployment, batchId));
    const image = await (await fromArrayBuffer(bytes.buffer)).getImage();
    expect(await image.getGDALMetadata()).toMatchObject({
      JOB_NAME: 'Field 7, Stein',
      MODEL: meuse.ref,
      REQUESTED_YEAR: '2024',
      DATA_PERIOD: '1990/1993',
      POLYGON_SHA256: createHash('sha256').update(JSON.stringify(FIELD)).digest('hex'),
      PACK_SHA256: expect.stringMatching(
        /^[0-9a-f]{64} {2}manifest.json\n[0-9a-f]{64} {2}build\/model.onnx\n/,
      ),
      SOFTWARE: 'soil-batch 1.2.3',
      BATCH_ID: batchId,
      JOB_ID: jobIdOf(batchId, 0),
      LICENSE: 'GPL-2.0-or-later',
      CITATION: expect.stringMatching(/^Pebesma .*; Model pack meuse-soc 1\.0\.0 \(/),
      ACCURACY: expect.stringMatching(/^R2 0\.\d+; RMSE \(kg\/m3\) [\d.]+; /),
    });
    expect(await image.getGDALMetadata(0)).toMatchObject({
      LONG_NAME: 'soil organic carbon density, 0–20 cm: Expected value',
    });
  });

  it('produces the same bytes and counts when every step runs twice', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    await predictAll(deployment, batchId);
    const blocks = new Map(deployment.blocks.bytes);
    await predictAll(deployment, batchId);
    expect(deployment.blocks.bytes).toEqual(blocks);
    await assembleRaster(deployment, batchId, 0);
    const bytes = rasterOf(deployment, batchId);
    // The step died before completing the job.
    expect((await completeJob(deployment, batchId, 0)).kind).toBe('assembled');
    expect(rasterOf(deployment, batchId)).toEqual(bytes);
    const record = await deployment.jobs.read(batchId, 0);
    expect(await finishJob(deployment, batchId, 0, CRASH)).toEqual({ kind: 'unchanged' });
    expect(await plan(deployment, batchId)).toBe(0);
    const { kind } = await predictPatchBatch(deployment, batchId, 0, 0);
    expect(kind).toBe('nothing-to-do');
    expect(await completeJob(deployment, batchId, 0)).toEqual({ kind: 'unchanged' });
    expect(await deployment.jobs.read(batchId, 0)).toEqual(record);
    expect(record?.completed_patch_batches).toBe(record?.total_patch_batches);
  });

  it('reads each of a few blocks only once, for both its summary and its raster', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    await predictAll(deployment, batchId);
    const reads: string[] = [];
    const blocks: Deployment['blocks'] = {
      ...deployment.blocks,
      readInto: (ref, offset, into) => {
        reads.push(ref);
        return deployment.blocks.readInto(ref, offset, into);
      },
    };
    expect((await completeJob({ ...deployment, blocks }, batchId, 0)).kind).toBe('assembled');
    expect(reads.toSorted()).toEqual([...deployment.blocks.bytes.keys()].toSorted());
  });

  it('completes a patch-batch whose step died after it had started', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    await plan(deployment, batchId);
    await deployment.patchBatches.start(batchId, 0, 0, new Date().toISOString());
    expect((await predictPatchBatch(deployment, batchId, 0, 0)).kind).toBe('completed');
  });
});

describe('a job with steps that failed', () => {
  it('fails with the failed patch-batches and the reason', async () => {
    const { deployment, batchId } = await createJob(FLOOD_PLAIN);
    const patchBatches = await plan(deployment, batchId);
    const unavailable = {
      Error: 'CovariateUnavailable',
      Cause: JSON.stringify({
        errorType: 'CovariateUnavailable',
        errorMessage: 'covariate "x" is gone',
      }),
    };
    for (const idx of [1, 2]) await failPatchBatch(deployment, batchId, 0, idx, unavailable);
    for (let idx = 0; idx < patchBatches; idx++)
      await predictPatchBatch(deployment, batchId, 0, idx);
    const finish = await completeJob(deployment, batchId, 0);
    if (finish.kind !== 'failed') throw new Error(finish.kind);
    expect(finish.error.code).toBe('covariate_unavailable');
    expect(finish.error.message).toMatch(
      new RegExp(`Patch-batches 1, 2 of ${patchBatches} failed\\. Patch-batch 1: .*"x" is gone`),
    );
  });

  it('fails with `internal` if one of its patch-batches did, even if another lacked a covariate', async () => {
    const { deployment, batchId } = await createJob(FLOOD_PLAIN);
    await plan(deployment, batchId);
    await failPatchBatch(deployment, batchId, 0, 0, { Error: 'CovariateUnavailable' });
    await failPatchBatch(deployment, batchId, 0, 1, { Error: 'States.Timeout' });
    const finish = await completeJob(deployment, batchId, 0);
    expect(finish).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
  });

  it('fails when patch-batches did not finish', async () => {
    const { deployment, batchId } = await createJob(FLOOD_PLAIN);
    await plan(deployment, batchId);
    const finish = await completeJob(deployment, batchId, 0);
    if (finish.kind !== 'failed') throw new Error(finish.kind);
    expect(finish.error).toMatchObject({ code: 'internal' });
    expect(finish.error.message).toMatch(/Patch-batches 0, 1, 2, 3, 4 and \d+ more of \d+ did not/);
  });

  it('fails with the reason when its raster could not be written', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    await predictAll(deployment, batchId);
    const finish = await finishJob(deployment, batchId, 0, { Error: 'Sandbox.Timedout' });
    if (finish.kind !== 'failed') throw new Error(finish.kind);
    expect(finish.error.message).toMatch(/raster could not be written.*time limit/);
  });

  it('completes if only the response of the step that wrote its raster was lost', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    await predictAll(deployment, batchId);
    await assembleRaster(deployment, batchId, 0);
    const finish = await finishJob(deployment, batchId, 0, { Error: 'Sandbox.Timedout' });
    expect(finish).toEqual({ kind: 'completed' });
    const whole = await createJob(FIELD);
    await runJob(whole.deployment, whole.batchId);
    const expected = await readCompletedRecord(whole.deployment, whole.batchId);
    const job = await readCompletedRecord(deployment, batchId);
    expect(expected.summary?.mean).toBeGreaterThan(0);
    expect(job.summary).toEqual(expected.summary);
    expect(job.raster_bytes).toBe(rasterOf(deployment, batchId).length);
  });

  it.each([
    ['not planned', 0],
    ['planned but not predicted', 1],
  ])('is left to FinishBatch if its batch is being cancelled and it was %s', async (_, planned) => {
    const { deployment, batchId } = await createJob(FIELD);
    if (planned > 0) await plan(deployment, batchId);
    const before = await deployment.jobs.list(batchId);
    await deployment.batches.requestCancel(batchId, new Date().toISOString());
    expect(await completeJob(deployment, batchId, 0)).toEqual({ kind: 'unchanged' });
    expect(await finishJob(deployment, batchId, 0, CRASH)).toEqual({ kind: 'unchanged' });
    expect(await deployment.jobs.list(batchId)).toEqual(before);
  });

  it('fails when it could not be planned', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    const finish = await finishJob(deployment, batchId, 0, CRASH);
    if (finish.kind !== 'failed') throw new Error(finish.kind);
    expect(finish.error.message).toMatch(/could not be planned.*TypeError/);
    expect(finish.error.message).not.toContain('boom');
  });

  it.each([1, 999])(
    'is not created by finishing index %i, which the batch does not have',
    async (index) => {
      const { deployment, batchId } = await createJob(FIELD);
      expect(await finishJob(deployment, batchId, index, CRASH)).toEqual({ kind: 'unchanged' });
      expect(await deployment.jobs.list(batchId)).toEqual([]);
    },
  );

  it('fails with the number of its cells if none has a value', async () => {
    const pack = makeVariant('9.0.0', { coverage: CORNER_OF_THE_GRID });
    const { deployment, batchId } = await createJob(CORNER_OF_THE_GRID, pack);
    const finish = await runJob(deployment, batchId);
    const job = await deployment.jobs.read(batchId, 0);
    expect(job?.point_count).toBeGreaterThan(0);
    expect(finish).toMatchObject({ kind: 'failed', error: { code: 'no_valid_cells' } });
    if (finish.kind === 'failed') {
      expect(finish.error.message).toContain(`cells: ${job?.point_count}`);
    }
    expect(await deployment.rasters.find(batchId, jobIdOf(batchId, 0))).toBeNull();
  });

  it('records nothing for a patch-batch after the job has ended', async () => {
    const { deployment, batchId } = await createJob(FIELD);
    await runJob(deployment, batchId);
    const fail = await failPatchBatch(deployment, batchId, 0, 0, { Error: 'States.Timeout' });
    expect(fail.kind).toBe('nothing-to-do');
    expect((await deployment.patchBatches.readPatchBatch(batchId, 0, 0))?.status).toBe('completed');
  });
});
