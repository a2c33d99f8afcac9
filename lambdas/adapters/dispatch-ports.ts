import type { BatchRunner } from '../domain/batch/batch-store.ts';
import type { DispatchPorts } from '../domain/dispatch/dispatch.ts';
import { dynamoSlots } from './dynamodb/slots.ts';
import type { Table } from './dynamodb/table.ts';
import { dynamoTenantRecords } from './dynamodb/tenants.ts';
import { dynamoWaitingLine } from './dynamodb/waiting-line.ts';
import type { Environment } from './environment.ts';
import { stepFunctionsStarter } from './step-functions/batch-runner.ts';

/** What every function that may start a batch dispatches with. */
export function dispatchPorts(
  table: Table,
  env: Pick<Environment, 'STATE_MACHINE_ARN' | 'RUNNING_BATCHES' | 'RUNNING_BATCHES_PER_TENANT'>,
  onStartFailure: DispatchPorts['onStartFailure'],
  runner: Pick<BatchRunner, 'start'> = stepFunctionsStarter(env.STATE_MACHINE_ARN),
): DispatchPorts {
  return {
    slots: dynamoSlots(table),
    line: dynamoWaitingLine(table),
    tenants: dynamoTenantRecords(table),
    runner,
    runningLimits: { inAll: env.RUNNING_BATCHES, perTenant: env.RUNNING_BATCHES_PER_TENANT },
    clock: table.clock,
    onStartFailure,
  };
}
