import {
  patchBatchSchema,
  type ReadPatchBatchPorts,
  readPatchBatch,
} from '../../domain/patch-batch/read-patch-batch.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { batchNotFound, jobNotFound, patchBatchNotFound } from '../http/not-found.ts';
import { readPatchBatchIdx } from '../http/parameters.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, revalidated } from '../http/response.ts';
import { named } from '../specification/published.ts';
import patchBatchStatus from './examples/patch-batch-status.json' with { type: 'json' };

named('PatchBatch', patchBatchSchema);

export const patchBatchStatusDefinition = {
  operationId: 'getPatchBatchStatus',
  tag: 'Batches',
  summary: 'Patch-batch status',
  description: 'One patch-batch: a chunk of a job, predicted as one unit of work.',
  parameters: ['batchId', 'jobId', 'patchBatchIdx', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The current state of the patch-batch',
    headers: ['Retry-After', 'ETag', 'Cache-Control'],
    content: { schema: patchBatchSchema, example: patchBatchStatus },
  },
  problems: ['batch-not-found', 'job-not-found', 'patch-batch-not-found'],
} as const satisfies OperationDefinition;

export function patchBatchStatusOperation(ports: ReadPatchBatchPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const reading = await readPatchBatch(
      ports,
      tenantOf(request),
      readId(request, 'batch_id'),
      readId(request, 'job_id'),
      readPatchBatchIdx(request.pathParameter('patch_batch_idx')),
    );
    switch (reading.kind) {
      case 'batch-unknown':
        throw batchNotFound();
      case 'job-unknown':
        throw jobNotFound();
      case 'patch-batch-unknown':
        throw patchBatchNotFound(reading.total);
      case 'patch-batch': {
        const { status } = reading.patchBatch;
        const finished = status === 'completed' || status === 'failed';
        return revalidated(request, reading.patchBatch, pollAgain(finished));
      }
    }
  };
}
