import { dynamoBatchQueue } from '../../lambdas/adapters/dynamodb/batch-queue.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoBusOutbox } from '../../lambdas/adapters/dynamodb/bus-outbox.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from '../../lambdas/adapters/dynamodb/charges.ts';
import { dynamoDeliveryLog } from '../../lambdas/adapters/dynamodb/delivery-log.ts';
import { dynamoJobStore } from '../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore, dynamoRedeliveries } from '../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../lambdas/adapters/dynamodb/patch-batches.ts';
import { dynamoSlots } from '../../lambdas/adapters/dynamodb/slots.ts';
import { dynamoScanPositions } from '../../lambdas/adapters/dynamodb/sparse-index.ts';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import type { Clock } from '../../lambdas/domain/clock.ts';
import type { StateTable } from '../support/deployed/state-table.ts';
import type { Storage } from '../support/simulation/storage.ts';

/** The deployed adapters over a table that only this world uses, on its clock. */
export function dynamodbStorage(state: StateTable, clock: Clock): Storage {
  const table: Table = { ...state, clock, ends: new Map() };
  return {
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    patchBatches: dynamoPatchBatchStore(table),
    outbox: {
      ...dynamoOutboxStore(table),
      ...dynamoRedeliveries(table),
      ...dynamoDeliveryLog(table),
    },
    busOutbox: dynamoBusOutbox(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    slots: dynamoSlots(table),
    batchQueue: dynamoBatchQueue(table),
    scanPositions: dynamoScanPositions(table),
    close: state.delete,
  };
}
