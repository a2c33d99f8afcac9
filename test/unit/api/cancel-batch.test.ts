import { describe, expect, it } from 'vitest';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { creationBody, inMemoryService, statusCall } from '../../support/api/service.ts';

async function createCancellable(members = {}) {
  const service = inMemoryService();
  const created = await service.create({ body: creationBody(members) });
  const { batch_id: batchId } = creationResponse.parse(created.body);
  const cancel = (id: string) =>
    service.read('cancel-batch', {
      path: `/v1/batch/${id}/cancel`,
      resource: '/v1/batch/{batch_id}/cancel',
      parameters: { batch_id: id },
    });
  return { service, batchId, cancel };
}

describe('POST /v1/batch/{batch_id}/cancel', () => {
  it('returns 202 with the status of the batch, without its jobs', async () => {
    const { service, batchId, cancel } = await createCancellable();
    const { status: statusCode, body, headers } = await cancel(batchId.toUpperCase());
    expect(statusCode).toBe(202);
    const status = batchStatusResponse.parse(body);
    expect(status).toMatchObject({
      batch_id: batchId,
      status: 'pending',
      cancel_requested_at: service.time.now.toISOString(),
      pending_tasks: 1,
      jobs: [],
    });
    expect(headers).toMatchObject({
      Location: expect.stringMatching(`/v1/batch/${batchId}/status`),
      'Retry-After': expect.stringMatching(/^[1-9]/),
    });
  });

  it('makes later statuses show the time of the request', async () => {
    const { service, batchId, cancel } = await createCancellable();
    const shown = async () =>
      batchStatusResponse.parse((await service.batchStatus(statusCall(batchId))).body);
    expect(await shown()).toMatchObject({ cancel_requested_at: null });
    await cancel(batchId);
    const { cancel_requested_at: requestedAt } = await shown();
    expect(requestedAt).not.toBeNull();
    await service.stores.finishAndReport(batchId);
    expect(await shown()).toMatchObject({ status: 'failed', cancel_requested_at: requestedAt });
  });

  it('makes a single write for a batch of 200 jobs', async () => {
    const { jobs } = JSON.parse(creationBody());
    const { service, batchId, cancel } = await createCancellable({
      jobs: Array(200).fill(jobs[0]),
    });
    const before = service.writes.count;
    expect((await cancel(batchId)).status).toBe(202);
    expect(service.writes.count - before).toBe(1);
  });

  it('returns 409 once the batch is finished, with its status', async () => {
    const { service, batchId, cancel } = await createCancellable();
    await cancel(batchId);
    await service.stores.finishAndReport(batchId);
    const { status: statusCode, body } = await cancel(batchId);
    expect(statusCode).toBe(409);
    expect(problemBody.parse(body).detail).toContain('failed');
  });

  it('returns 404 for an unknown batch', async () => {
    const { cancel } = await createCancellable();
    expect((await cancel('0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70')).status).toBe(404);
  });
});
