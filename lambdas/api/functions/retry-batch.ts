import { stepFunctionsStarter } from '../../adapters/batch-runner.ts';
import { stepFunctionsClient } from '../../adapters/clients.ts';
import { dispatchPorts } from '../../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/objects.ts';
import { dispatchBatch } from '../../domain/dispatch/dispatch.ts';
import { logFailure } from '../../observability/log.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { retryBatchOperation } from '../operations/batch/retry-batch.ts';

export const handler = handleKeyed('retry-batch', BATCH_OPERATIONS, (table) => {
  const dispatching = dispatchPorts(
    table,
    env,
    stepFunctionsStarter(env.STATE_MACHINE_ARN, stepFunctionsClient()),
    logFailure('start-batch'),
  );
  return {
    'retry-batch': retryBatchOperation({
      batches: dynamoBatchStore(table),
      jobs: dynamoJobStore(table),
      jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
      tenants: dynamoTenantRecords(table),
      quotas: dynamoQuotas(table),
      dispatch: (batch) => dispatchBatch(dispatching, batch),
      clock: table.clock,
      retentionDays: env.RETENTION_DAYS,
      onDispatchFailure: logFailure('dispatch-batch'),
    }),
  };
});
