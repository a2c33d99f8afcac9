import { describe, expect, it } from 'vitest';
import { totalResponse } from '../../../lambdas/api/operations/total-response.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { createBatchOf, jobText, SUMMARY } from '../../support/api/batch-with-results.ts';
import { completedJob, failedJob } from '../../support/api/job-records.ts';
import { inMemoryService, totalCall } from '../../support/api/service.ts';

async function makeBatch() {
  const batch = await createBatchOf(jobText(), jobText(), jobText(), jobText());
  const { service, batchId } = batch;
  for (const index of [0, 1]) {
    await service.storeJob(batchId, { ...completedJob(index), summary: SUMMARY });
  }
  await service.storeJob(batchId, failedJob(2));
  return batch;
}

describe('GET /v1/batch/{batch_id}/total', () => {
  it('sums the completed jobs, and lists the others by reason', async () => {
    const { service, batchId, jobIds } = await makeBatch();
    const answer = await service.batchTotal(totalCall(batchId));
    expect(answer.status).toBe(200);
    const [pair = '', twin = '', failed, pending] = jobIds;
    expect(totalResponse.parse(answer.body)).toMatchObject({
      ...{ batch_ids: [batchId], finished: false },
      ...{ total_jobs: 4, included_jobs: 2, excluded_jobs: 0 },
      totals: [
        {
          ...{ model: 'meuse-soc@1.0.0', jobs: 2, mean: SUMMARY.mean, lower: null },
          ...{ area_ha: 25, predicted_area_ha: 24.5, unpredicted_area_ha: 0.5 },
          ...{ property: 'soil organic carbon density', depth_cm: [0, 20], unit: 'kg/m3' },
          stock: { unit: 't', substance: 'carbon', lower: null },
          interval_missing: { code: 'batch_unfinished' },
          job_warnings: [
            { code: 'static_model', jobs: 2, area_ha: 25 },
            { code: 'cells_without_data', jobs: 2, area_ha: 25 },
          ],
          // Both jobs have the same polygon.
          overlaps: [{ job_ids: [pair, twin] }],
          warnings: [{ code: 'overlapping_fields' }],
        },
      ],
      left_out: [
        { reason: 'failed', error_code: 'geometry_self_intersection', job_ids: [failed] },
        { reason: 'unfinished', error_code: null, job_ids: [pending] },
      ],
    });
    expect(answer.headers).toHaveProperty('Retry-After');
  });

  it('includes each batch once, however often the request names it', async () => {
    const { service, batchId } = await makeBatch();
    const once = await service.batchTotal(totalCall(batchId, [batchId, batchId.toUpperCase()]));
    expect(once.body).toMatchObject({ batch_ids: [batchId], total_jobs: 4 });
    expect(service.weights.at(-1)).toBe(0);
  });

  it('leaves out excluded jobs, and responds 404 to an excluded ID that is not a job of the batch', async () => {
    const { service, batchId, jobIds } = await makeBatch();
    const [replaced = '', , failed = ''] = jobIds;
    const total = (exclude: readonly string[]) =>
      service.batchTotal({ ...totalCall(batchId), query: { exclude } });
    const { body } = await total([replaced.toUpperCase(), failed]);
    expect(body).toMatchObject({ total_jobs: 2, included_jobs: 1, excluded_jobs: 2 });
    expect(body).toMatchObject({ left_out: [{ reason: 'unfinished' }] });
    const wrong = await total([replaced, batchId]);
    expect(wrong.status).toBe(404);
    expect(wrong.body).toMatchObject({ detail: expect.stringContaining(batchId) });
  });

  it('splits by a property of the jobs, and writes values that are not text as JSON', async () => {
    const values = ['clay', 7, ['a', 1], undefined, null, 'clay', '7'];
    const texts = values.map((soil) => jobText({ properties: { soil } }));
    const { service, batchId } = await createBatchOf(...texts);
    for (const index of texts.keys()) {
      await service.storeJob(batchId, { ...completedJob(index), summary: SUMMARY });
    }
    const totalBy = (by: string) => service.batchTotal({ ...totalCall(batchId), query: { by } });
    const { body } = await totalBy('soil');
    const [total] = totalResponse.parse(body).totals;
    expect(total?.strata.map(({ value, jobs }) => [value, jobs])).toEqual([
      ['clay', 2],
      ['7', 2],
      ['["a",1]', 1],
      [null, 2],
    ]);
    expect(total?.strata[0]).toMatchObject({
      ...{ mean: SUMMARY.mean, area_ha: 25, stock: { unit: 't' }, lower: null },
      interval_missing: { code: 'batch_unfinished' },
    });
    const [unknown] = totalResponse.parse((await totalBy('constructor')).body).totals;
    expect(unknown?.strata.map(({ value, jobs }) => [value, jobs])).toEqual([[null, 7]]);
    const [unsplit] = totalResponse.parse((await totalBy('')).body).totals;
    expect(unsplit?.strata).toEqual([]);
  });

  it.each([
    ['more values than a total may have strata', LIMITS.strataPerTotal + 1, 1, (i: number) => i],
    ['too many strata over all years', 51, 2, (i: number) => i % 51],
    ['a value longer than a name', 1, 1, () => 'x'.repeat(LIMITS.nameCharacters + 1)],
  ])('rejects a property with %s', async (_, jobs, years, soilOf) => {
    const texts = Array.from({ length: jobs * years }, (_, i) =>
      jobText({ properties: { soil: soilOf(i) }, year: 2020 + Math.floor(i / jobs) }),
    );
    const { service, batchId } = await createBatchOf(...texts);
    for (const index of texts.keys()) {
      await service.storeJob(batchId, { ...completedJob(index), summary: SUMMARY });
    }
    const answer = await service.batchTotal({ ...totalCall(batchId), query: { by: 'soil' } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/by' }] });
  });

  it.each([
    ['more than ten batches', { batch_id: Array.from({ length: 10 }, () => 'x') }, '/batch_id'],
    ['an unknown parameter', { format: 'csv' }, '/format'],
  ])('rejects %s', async (_, query, pointer) => {
    const { service, batchId } = await makeBatch();
    const answer = await service.batchTotal({ ...totalCall(batchId), query });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ pointer }] });
  });

  it('responds 404 if one of the batches is not the tenant’s', async () => {
    const { service, batchId } = await makeBatch();
    const foreign = await service.batchTotal({ ...totalCall(batchId), tenant: 'beta' });
    const unknown = await service.batchTotal(totalCall(batchId, ['not-a-batch']));
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect((await inMemoryService().batchTotal(totalCall(batchId))).status).toBe(404);
  });
});
