import { describe, expect, it } from 'vitest';
import { batchStatusResponse } from '../../../lambdas/api/endpoints/batch-status.ts';
import { creationResponse } from '../../../lambdas/api/endpoints/create-batch.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { creationBody, inMemoryService } from '../../support/api/service.ts';

async function cancelling() {
  const service = inMemoryService();
  const created = await service.create({ body: creationBody() });
  const { batch_id: batchId } = creationResponse.parse(created.body);
  const cancel = (id: string) =>
    service.read('cancel-batch', {
      path: `/v1/batch/${id}/cancel`,
      resource: '/v1/batch/{batch_id}/cancel',
      parameters: { batch_id: id },
    });
  return { batchId, cancel };
}

describe('POST /v1/batch/{batch_id}/cancel', () => {
  it('returns 202 with the status of the batch, without its jobs', async () => {
    const { batchId, cancel } = await cancelling();
    const { status: statusCode, body, headers } = await cancel(batchId.toUpperCase());
    expect(statusCode).toBe(202);
    const status = batchStatusResponse.parse(body);
    expect(status).toMatchObject({
      batch_id: batchId,
      status: 'failed',
      failed_tasks: 1,
      jobs: [],
    });
    expect(headers).toMatchObject({
      Location: expect.stringMatching(`/v1/batch/${batchId}/status`),
    });
  });

  it('returns 409 once the batch is finished, with its status', async () => {
    const { batchId, cancel } = await cancelling();
    await cancel(batchId);
    const { status: statusCode, body } = await cancel(batchId);
    expect(statusCode).toBe(409);
    expect(problemBody.parse(body).detail).toContain('failed');
  });

  it('returns 404 for an unknown batch', async () => {
    const { cancel } = await cancelling();
    expect((await cancel('0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70')).status).toBe(404);
  });
});
