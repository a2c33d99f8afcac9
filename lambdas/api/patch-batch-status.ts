import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import {
  type ReadPatchBatchPorts,
  readPatchBatch,
} from '../domain/patch-batch/read-patch-batch.ts';
import { readPatchBatchIdx } from './contract/parameters.ts';
import { readId, readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound, jobNotFound, patchBatchNotFound, requireV2 } from './http/not-found.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, revalidated } from './http/response.ts';

export function patchBatchStatusOperation(ports: ReadPatchBatchPorts): Operation {
  return async (request) => {
    requireV2(request);
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

export const handler = handleKeyed('patch-batch-status', (table) =>
  patchBatchStatusOperation({
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    patchBatches: dynamoPatchBatchStore(table),
    clock: () => new Date(),
  }),
);
