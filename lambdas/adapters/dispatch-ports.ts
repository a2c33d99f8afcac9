import type { BatchRunner } from '../domain/batch/batch.ts';
import type { DispatchPorts } from '../domain/dispatch/dispatch.ts';
import { dynamoBatchQueue } from './dynamodb/batch-queue.ts';
import { dynamoSlots } from './dynamodb/slots.ts';
import type { Table } from './dynamodb/table.ts';
import { dynamoTenantRecords } from './dynamodb/tenants.ts';
import type { Variables } from './environment.ts';

/** The dispatch ports of every function that may start a batch. */
export function dispatchPorts(
  table: Table,
  variables: Pick<
    Variables,
    'RUNNING_BATCHES' | 'RUNNING_BATCHES_RESERVED' | 'RUNNING_BATCHES_PER_TENANT'
  >,
  runner: Pick<BatchRunner, 'start'>,
  onStartFailure: DispatchPorts['onStartFailure'],
): DispatchPorts {
  return {
    slots: dynamoSlots(table),
    batchQueue: dynamoBatchQueue(table),
    tenants: dynamoTenantRecords(table),
    runner,
    runningLimits: {
      inAll: variables.RUNNING_BATCHES,
      reserved: variables.RUNNING_BATCHES_RESERVED,
      perTenant: variables.RUNNING_BATCHES_PER_TENANT,
    },
    clock: table.clock,
    onStartFailure,
  };
}
