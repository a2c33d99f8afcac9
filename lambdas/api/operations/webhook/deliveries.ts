import { deliveriesSchema, deliveryAttempt } from '../../../domain/delivery/delivery-schema.ts';
import {
  type ReadDeliveriesPorts,
  readDeliveries,
} from '../../../domain/delivery/read-deliveries.ts';
import { readId, readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { batchNotFound } from '../../http/not-found.ts';
import { tenantOf } from '../../http/request.ts';
import { pollAgain, revalidated } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { named } from '../../specification/published.ts';
import example from './deliveries.example.json' with { type: 'json' };

named('Deliveries', deliveriesSchema);
named('DeliveryAttempt', deliveryAttempt);

export function batchDeliveriesOperation(ports: ReadDeliveriesPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const reading = await readDeliveries(ports, tenantOf(request), readId(request, 'batch_id'));
    if (reading === null) throw batchNotFound();
    return revalidated(request, reading.deliveries, pollAgain(reading.settled));
  };
}

export const batchDeliveriesSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Delivery log',
  description:
    'Every finished attempt to deliver the batch’s webhook, and when the next one is due. Empty while the batch is unfinished, and without a `webhook_url`.',
  parameters: ['batchId', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The current log',
    headers: ['Retry-After', 'ETag', 'Cache-Control'],
    links: ['status', 'redelivery'],
    content: { schema: deliveriesSchema, example: example },
  },
  problems: ['batch-not-found'],
};
