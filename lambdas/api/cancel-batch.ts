import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { environment } from '../adapters/environment.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { s3RasterWithdrawals } from '../adapters/s3/raster-withdrawals.ts';
import { roleObjects } from '../adapters/s3/role-objects.ts';
import { sqsDeliveryTimer } from '../adapters/sqs/delivery-timer.ts';
import { stepFunctionsBatchRunner } from '../adapters/step-functions/batch-runner.ts';
import { type CancelBatchPorts, cancelBatch } from '../domain/batch/cancel-batch.ts';
import { finishBatch } from '../domain/batch/finish-batch.ts';
import { logFailure } from '../log.ts';
import { measureFinish } from '../measure-finish.ts';
import { readId, readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound } from './http/not-found.ts';
import { Problem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, uncached } from './http/response.ts';
import { paths } from './http/routes.ts';

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

export const handler = handleKeyed('cancel-batch', (table) => {
  const env = environment(
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'STATE_MACHINE_ARN',
    'WEBHOOK_QUEUE_URL',
    'MEMORY_MB',
    'AWS_REGION',
  );
  const batches = dynamoBatchStore(table);
  const jobs = dynamoJobStore(table);
  const finishing = {
    batches,
    jobs,
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    rasters: s3RasterWithdrawals(env.RESULTS_BUCKET),
    timer: sqsDeliveryTimer(new SQSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_QUEUE_URL),
    clock: table.clock,
    onDeliveryLeft: logFailure('delivery-left'),
  };
  const pricing = { memory: env.MEMORY_MB, region: env.AWS_REGION };
  return cancelBatchOperation({
    batches,
    jobs,
    runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN),
    finish: async (batchId) => measureFinish(await finishBatch(finishing, batchId), pricing),
    clock: table.clock,
    onLeft: logFailure('cancel-left'),
  });
});
