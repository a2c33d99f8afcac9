import { type CancelBatchPorts, cancelBatch } from '../../../domain/batch/cancel-batch.ts';
import { readId, readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { batchNotFound } from '../../http/not-found.ts';
import { Problem } from '../../http/problem.ts';
import { tenantOf } from '../../http/request.ts';
import { pollAgain, uncached } from '../../http/response.ts';
import { paths } from '../../http/routes.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import batchStatusExample from './batch-status.example.json' with { type: 'json' };
import { batchStatusResponse } from './batch-status.ts';

/** Answers with the status that `?jobs=none` gives: what the jobs became is asked for there. */
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
          `The batch is ${cancellation.batch.state.status}, and a final state never changes.`,
        );
      case 'accepted':
        return uncached(
          202,
          { ...cancellation.view, jobs: [] },
          {
            Location: `${request.baseUrl}${paths.batchStatus(batchId)}`,
            ...pollAgain(cancellation.finished),
          },
        );
    }
  };
}

export const cancelBatchSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Cancel a batch',
  description:
    'Ends a batch before its time. Finished jobs stay as they are; all others fail with `cancelled`, the batch ends as `failed` or `partial` (as `completed` if every job was done by then), and its webhook is sent. Asked for again, it does nothing more: a batch that has ended, by this too, is answered with 409.',
  parameters: ['batchId'],
  response: {
    status: 202,
    description: 'The status, without its jobs',
    headers: ['Location', 'Retry-After', 'Cache-Control'],
    links: ['status', 'retry', 'deliveries'],
    content: { schema: batchStatusResponse, example: { ...batchStatusExample, jobs: [] } },
  },
  problems: ['batch-not-found', 'batch-finished'],
};
