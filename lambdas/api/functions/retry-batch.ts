import { dispatchPorts } from '../../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { dynamoQuotas } from '../../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { environment } from '../../adapters/environment.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/role-objects.ts';
import { dispatchBatch } from '../../domain/dispatch/dispatch.ts';
import { logFailure } from '../../log.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { retryBatchOperation } from '../operations/batch/retry-batch.ts';

export const handler = handleKeyed('retry-batch', (table) => {
  const env = environment(
    'WORK_BUCKET',
    'STATE_MACHINE_ARN',
    'RUNNING_BATCHES',
    'RUNNING_BATCHES_PER_TENANT',
    'RETENTION_DAYS',
  );
  const dispatching = dispatchPorts(table, env, logFailure('start-batch'));
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
