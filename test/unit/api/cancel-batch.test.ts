import { describe, expect, it } from 'vitest';
import { batchStatusResponse } from '../../../lambdas/api/endpoints/batch-status.ts';
import { cancelBatchOperation } from '../../../lambdas/api/endpoints/cancel-batch.ts';
import { handle } from '../../../lambdas/api/http/handle.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { finishBatch } from '../../../lambdas/domain/batch/finish-batch.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { FIELD } from '../../support/domain/polygons.ts';

async function cancelling() {
  const deployment = aDeployment();
  const { batchId } = await postBatch(deployment, [{ polygon: FIELD, year: 2024 }], {
    tenant: 'farm',
  });
  const handler = handle(
    routeNamed('cancel-batch'),
    () =>
      cancelBatchOperation({
        ...deployment,
        runner: { stop: async () => {} },
        finish: (id) => finishBatch(deployment, id),
        onLeft: () => {},
      }),
    () => {},
  );
  const cancel = (id: string) =>
    handler(
      gatewayEvent({
        method: 'POST',
        tenant: 'farm',
        path: `/v1/batch/${id}/cancel`,
        resource: '/v1/batch/{batch_id}/cancel',
        parameters: { batch_id: id },
      }),
    );
  return { batchId, cancel };
}

describe('POST /v1/batch/{batch_id}/cancel', () => {
  it('returns 202 with the status of the batch, without its jobs', async () => {
    const { batchId, cancel } = await cancelling();
    const { statusCode, body, headers } = await cancel(batchId.toUpperCase());
    expect(statusCode).toBe(202);
    const status = batchStatusResponse.parse(JSON.parse(body));
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
    const { statusCode, body } = await cancel(batchId);
    expect(statusCode).toBe(409);
    expect(problemBody.parse(JSON.parse(body)).detail).toContain('failed');
  });

  it('returns 404 for an unknown batch', async () => {
    const { cancel } = await cancelling();
    expect((await cancel('0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70')).statusCode).toBe(404);
  });
});
