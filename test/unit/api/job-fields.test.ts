import { expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { jobRequest } from '../../../lambdas/api/operations/create-request.ts';
import { inMemoryService, jobCall, POLYGON } from '../../support/api/service.ts';

/** A job with every field that a client may send, each with a value other than its default. */
const SENT: Readonly<Record<keyof typeof jobRequest.shape, unknown>> = {
  polygon: POLYGON,
  year: 2020,
  name: 'north',
  properties: { plot: 7 },
  model: 'meuse-soc',
};

it('the name, year and properties of a job are returned as sent, and its requested model is stored', async () => {
  const service = inMemoryService();
  const { body } = await service.create({ body: JSON.stringify({ jobs: [SENT] }) });
  const { batch_id: batchId, job_ids } = creationResponse.parse(body);
  const status = await service.jobStatus(jobCall(batchId, job_ids[0] ?? ''));
  const [entry] = await service.stores.jobRequests.entries(batchId);

  // A status has no polygon, and shows the model that was chosen instead of the requested model.
  const { polygon: _, model, ...returned } = SENT;
  expect(Object.keys(SENT).sort()).toEqual(Object.keys(jobRequest.shape).sort());
  expect(status.body).toMatchObject(returned);
  expect(entry).toMatchObject({ model });
});
