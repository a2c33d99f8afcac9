import { inHectares, MAX_BOUNDED_REFUND_PER_DAY } from '../../domain/admission/quota.ts';
import { type CancelBatchPorts, cancelBatch } from '../../domain/batch/cancel-batch.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { batchNotFound } from '../http/not-found.ts';
import { Problem } from '../http/problem.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, uncached } from '../http/response.ts';
import { formatPath } from '../routes.ts';
import { groupedDigits } from '../specification/reference/markdown.ts';
import { batchStatusResponse } from './batch-status.ts';
import batchStatus from './examples/batch-status.json' with { type: 'json' };

const cancelling = {
  ...batchStatus,
  status: 'processing',
  failed_tasks: 0,
  failed_jobs: 0,
  pending_tasks: 1,
  pending_jobs: 1,
  progress: 0.5,
  completed_at: null,
  cancel_requested_at: batchStatus.updated_at,
  jobs: [],
  models: [],
};

export const cancelBatchDefinition = {
  operationId: 'cancelBatch',
  tag: 'Batches',
  summary: 'Cancel a batch',
  description: `Stops an unfinished batch. The response shows \`cancel_requested_at\`, and the batch ends without further requests, usually within seconds; its status shows when. Finished jobs stay as they are; all others fail with \`cancelled\`. Jobs that were not planned yet are refunded to the day that was charged, unless all refunds of that day would then exceed ${groupedDigits(MAX_BOUNDED_REFUND_PER_DAY.jobs)} jobs or ${groupedDigits(inHectares(MAX_BOUNDED_REFUND_PER_DAY.squareMetres))} ha. The batch ends as \`failed\` or \`partial\` (or as \`completed\` if every job was already completed), and its webhook is sent. A repeated request changes nothing; for a finished batch the response is 409.`,
  parameters: ['batchId'],
  response: {
    status: 202,
    description: 'The batch status, without jobs',
    headers: ['Location', 'Retry-After', 'Cache-Control'],
    links: ['status', 'retry', 'deliveries'],
    content: { schema: batchStatusResponse, example: cancelling },
  },
  problems: ['batch-not-found', 'batch-finished'],
} as const satisfies OperationDefinition;

/** Responds with the batch status, as `?jobs=none` returns it. */
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
          `The batch is ${cancellation.batch.status}, and a finished batch never changes.`,
        );
      case 'accepted':
        return uncached(
          202,
          { ...cancellation.view, jobs: [], models: [] },
          {
            Location: `${request.baseUrl}${formatPath('batch-status', { batch_id: batchId })}`,
            ...pollAgain(cancellation.finished),
          },
        );
    }
  };
}
