import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import type { JobSummary } from '../../../lambdas/domain/job/job-summary.ts';
import { COG } from './completed-result.ts';
import type { Call } from './gateway-event.ts';
import { completedJob, failedJob, processingJob } from './job-records.ts';
import { inMemoryService, job, resultsCall } from './service.ts';

export const SUMMARY: JobSummary = {
  area_ha: 12.5,
  predicted_area_ha: 12.25,
  mean: 37.1,
  lower: 30.2,
  upper: 44,
  unit: 'kg/m3',
  level: 0.9,
  method: 'correlated-errors/3',
  stock: { value: 1363.4, lower: 1109.9, upper: 1617, unit: 't', substance: 'carbon' },
  standard_error: 4.19456,
  stock_per_ha: 111.298,
  cell_min: 21.1234,
  cell_max: 61.9876,
  cell_sd: 8.12345,
  impossible_point_count: 0,
  outside_bounds_point_count: 0,
  outside_share: 0,
  outside_applicability_share: 0,
};

export const jobText = (fields: object = {}) => JSON.stringify(job(fields));

/** @param jobs the JSON text of each job */
export async function createBatchOf(...jobs: readonly string[]) {
  const service = inMemoryService();
  const response = await service.create({ body: `{"jobs":[${jobs.join(',')}]}` });
  const { batch_id: batchId, job_ids } = creationResponse.parse(response.body);
  const results = (format?: string, call: Call = {}) =>
    service.batchResults(
      resultsCall(batchId, { ...call, query: format === undefined ? {} : { format } }),
    );
  return { service, batchId, jobIds: job_ids, results };
}

/** Creates a batch with a completed, a failed, a running and a pending job. */
export async function batchInEachState() {
  const batch = await createBatchOf(
    jobText({ name: 'Zürich, "field"', properties: { parcel: 'A-17' } }),
    jobText({ name: '=1+1' }),
    jobText(),
    jobText({ polygon: { type: 'Point', coordinates: [1, 2] } }),
  );
  const { service, batchId } = batch;
  await service.storeJob(batchId, { ...completedJob(0), summary: SUMMARY });
  service.rasters.set(`${batchId}/${batch.jobIds[0]}`, COG);
  await service.storeJob(batchId, failedJob(1));
  await service.storeJob(batchId, processingJob(2));
  return batch;
}
