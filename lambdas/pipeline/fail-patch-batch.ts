import * as z from 'zod/mini';
import { dynamoDbClient } from '../adapters/clients.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import {
  type FailPatchBatchPorts,
  failPatchBatch,
} from '../domain/patch-batch/fail-patch-batch.ts';
import { measure } from '../observability/metrics.ts';
import { forEachOfShare, patchBatchInput, step, stepError } from './step.ts';

const table = openTable(env.TABLE_NAME, dynamoDbClient());

const ports: FailPatchBatchPorts = {
  jobs: dynamoJobStore(table),
  patchBatches: dynamoPatchBatchStore(table),
  clock: table.clock,
};

export const handler = forEachOfShare(
  step(
    'fail-patch-batch',
    z.extend(patchBatchInput, { error: stepError }),
    ({ batch_id, job_index, patch_batch_idx, error }) =>
      failPatchBatch(ports, batch_id, job_index, patch_batch_idx, error),
    () => ({}),
    {
      measured: ({ kind }) => {
        if (kind === 'failed') measure('PatchBatchesFinished', 1, 'failed');
      },
    },
  ),
);
