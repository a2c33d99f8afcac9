import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { polygonDigest, provenanceTags } from '../../../lambdas/domain/job/finishing/provenance.ts';
import { type CellFunction, raster, writeCog } from '../raster/builders.ts';
import type { Call } from './gateway-event.ts';
import { completedJob } from './job-records.ts';
import { creationBody, inMemoryService, POLYGON, resultsCall } from './service.ts';

export const slope: CellFunction = (col, row, band) => 20 + (col + row) / 10 + band;
export const bands = ['mean', 'q05', 'q95'].map((name) => ({
  name,
  description: name,
  unit: 'kg/m3',
}));

export const PROVENANCE = {
  pack: { 'manifest.json': '0a'.repeat(32), 'build/the <model> & more.onnx': '1b'.repeat(32) },
  covariateFiles: [{ covariate: 'relief', size: 1_000, etag: '"one & <two>"' }],
  polygon: polygonDigest(POLYGON),
  version: '1.1.0',
};
const tags = { MODEL: 'meuse-soc@1.0.0', ...provenanceTags(PROVENANCE) };
/** A raster of 152 × 200 cells. */
export const COG = await writeCog(raster({ bands, tags }), slope);

/** Creates a completed job of the default model. */
export async function completedResult(
  name: string | null = 'North field',
  service = inMemoryService(),
) {
  const body = JSON.parse(String(creationBody()));
  const jobs = [{ ...body.jobs[0], ...(name === null ? {} : { name }) }];
  const created = await service.create({ body: JSON.stringify({ jobs }) });
  const { batch_id: batchId, job_ids } = creationResponse.parse(created.body);
  const jobId = job_ids[0] ?? '';
  await service.storeJob(batchId, completedJob(0));
  service.rasters.set(`${batchId}/${jobId}`, COG);
  const createCall = (what: 'result' | 'preview' | 'item', call: Call = {}): Call => ({
    path: `/v1/batch/${batchId}/jobs/${jobId}/${what}`,
    resource: `/v1/batch/{batch_id}/jobs/{job_id}/${what}`,
    parameters: { batch_id: batchId, job_id: jobId },
    ...call,
  });
  return {
    service,
    batchId,
    jobId,
    result: (call?: Call) => service.result(createCall('result', call)),
    preview: (call?: Call) => service.resultPreview(createCall('preview', call)),
    item: (call?: Call) => service.resultItem(createCall('item', call)),
    table: (call?: Call) => service.batchResults({ ...resultsCall(batchId), ...call }),
  };
}
