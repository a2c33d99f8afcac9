import { type CancelBatchPorts, cancelBatch } from '../../../domain/batch/cancel-batch.ts';
import { BATCH_OPERATIONS } from '../../definitions/batches.ts';
import type { Operation } from '../../handling/handle.ts';
import { pathOf } from '../../handling/routes.ts';
import { batchNotFound } from '../../problems/not-found.ts';
import { Problem } from '../../problems/problem.ts';
import { readId, readQuery } from '../../requests/query.ts';
import { tenantOf } from '../../requests/request.ts';
import { pollAgain, uncached } from '../../responses/response.ts';

/** Responds with the batch status as `?jobs=none` returns it. */
export function cancelBatchOperation(ports: CancelBatchPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const batchId = readId(request, 'batch_id');
    const cancellation = await cancelBatch(ports, tenantOf(request), batchId);
    switch (cancellation.kind) {
      case 'unknown':
        throw batchNotFound();
      case 'already-final':
        throw new Problem(
          'batch-finished',
          `The batch is ${cancellation.batch.state.status}, and a finished batch never changes.`,
        );
      case 'accepted':
        return uncached(
          202,
          { ...cancellation.view, jobs: [], models: [] },
          {
            Location: `${request.baseUrl}${pathOf(BATCH_OPERATIONS['batch-status'], { batch_id: batchId })}`,
            ...pollAgain(cancellation.finished),
          },
        );
    }
  };
}
