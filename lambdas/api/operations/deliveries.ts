import { deliveriesSchema, deliveryAttempt } from '../../domain/delivery/delivery-schema.ts';
import type { DeliveryLog } from '../../domain/delivery/outbox.ts';
import {
  deliveriesView,
  type ReadDeliveriesPorts,
  readDeliveries,
} from '../../domain/delivery/read-deliveries.ts';
import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
  type RedeliveryPorts,
  type RedeliveryResult,
  redeliver,
} from '../../domain/delivery/redelivery.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { batchNotFound } from '../http/not-found.ts';
import { Problem } from '../http/problem.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, revalidated, uncached } from '../http/response.ts';
import { named } from '../specification/published.ts';
import deliveries from './examples/deliveries.json' with { type: 'json' };
import redelivered from './examples/redeliver.json' with { type: 'json' };

named('Deliveries', deliveriesSchema);

named('DeliveryAttempt', deliveryAttempt);

export const batchDeliveriesDefinition = {
  operationId: 'getDeliveries',
  tag: 'Batches',
  summary: 'Delivery log',
  description:
    'Every finished attempt to deliver the batch’s webhook, and when the next one is due. Empty while the batch is unfinished, or if it has no `webhook_url`.',
  parameters: ['batchId', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The current log',
    headers: ['Retry-After', 'ETag', 'Cache-Control'],
    links: ['status', 'redelivery'],
    content: { schema: deliveriesSchema, example: deliveries },
  },
  problems: ['batch-not-found'],
} as const satisfies OperationDefinition;

export const redeliverDefinition = {
  operationId: 'redeliver',
  tag: 'Batches',
  summary: 'Deliver a webhook again',
  description: `Sends the webhook of a finished batch again, whether or not earlier attempts succeeded, with the same secret, new signed URLs, the field \`redelivery\`, a new \`webhook-id\` and a new schedule of retries. Allowed once every ${REDELIVERY_INTERVAL_SECONDS} s and at most ${MAX_REDELIVERIES} times per batch. The request has no body.`,
  parameters: ['batchId'],
  response: {
    status: 202,
    description: 'The first attempt is due now',
    headers: ['Retry-After', 'Cache-Control'],
    links: ['status', 'deliveries'],
    content: { schema: deliveriesSchema, example: redelivered },
  },
  problems: ['batch-not-found', 'not-redeliverable'],
} as const satisfies OperationDefinition;

export function batchDeliveriesOperation(ports: ReadDeliveriesPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const reading = await readDeliveries(ports, tenantOf(request), readId(request, 'batch_id'));
    if (reading === null) throw batchNotFound();
    return revalidated(request, reading.deliveries, pollAgain(reading.settled));
  };
}

export function redeliverOperation(
  ports: RedeliveryPorts & { readonly outbox: DeliveryLog },
): Operation {
  return async (request) => {
    readQuery(request, []);
    const redelivery = await redeliver(ports, tenantOf(request), readId(request, 'batch_id'));
    switch (redelivery.kind) {
      case 'batch-unknown':
        throw batchNotFound();
      case 'refused':
        throw new Problem('not-redeliverable', REFUSALS[redelivery.because]);
      case 'too-soon':
        throw tooSoonProblem(redelivery.retryAfterSeconds);
      case 'accepted': {
        const { batch, event } = redelivery;
        const attempts = await ports.outbox.attempts(batch.batch_id, event.event);
        return uncached(202, deliveriesView(batch, event, attempts), pollAgain(false));
      }
    }
  };
}

const REFUSALS: Readonly<
  Record<Extract<RedeliveryResult, { kind: 'refused' }>['because'], string>
> = {
  'no webhook': 'The batch was created without a webhook_url.',
  'not finished': 'The batch is not finished. Its webhook is sent when it finishes.',
  'used up': `The batch has had ${MAX_REDELIVERIES} redeliveries, the maximum. Read the batch status instead.`,
};

function tooSoonProblem(seconds: number): Problem {
  return new Problem(
    'throttled',
    `A redelivery was requested recently, or an attempt is in progress; retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
