import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoDeliveryLog } from '../adapters/dynamodb/delivery-log.ts';
import { dynamoOutboxStore } from '../adapters/dynamodb/outbox.ts';
import { type ReadDeliveriesPorts, readDeliveries } from '../domain/delivery/read-deliveries.ts';
import { readId, readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound } from './http/not-found.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, revalidated } from './http/response.ts';

export function batchDeliveriesOperation(ports: ReadDeliveriesPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const reading = await readDeliveries(ports, tenantOf(request), readId(request, 'batch_id'));
    if (reading === null) throw batchNotFound();
    return revalidated(request, reading.deliveries, pollAgain(reading.settled));
  };
}

export const handler = handleKeyed('batch-deliveries', (table) =>
  batchDeliveriesOperation({
    batches: dynamoBatchStore(table),
    outbox: dynamoOutboxStore(table),
    log: dynamoDeliveryLog(table),
    clock: table.clock,
  }),
);
