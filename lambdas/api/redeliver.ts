import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoDeliveryLog } from '../adapters/dynamodb/delivery-log.ts';
import { dynamoOutboxStore } from '../adapters/dynamodb/outbox.ts';
import { dynamoRedeliveries } from '../adapters/dynamodb/redeliveries.ts';
import { environment } from '../adapters/environment.ts';
import { sqsDeliveryTimer } from '../adapters/sqs/delivery-timer.ts';
import type { DeliveryLog } from '../domain/delivery/delivery-log.ts';
import { deliveriesView } from '../domain/delivery/read-deliveries.ts';
import {
  MAX_REDELIVERIES,
  type RedeliveryAnswer,
  type RedeliveryPorts,
  redeliver,
} from '../domain/delivery/redelivery.ts';
import { logFailure } from '../log.ts';
import { readId, readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound } from './http/not-found.ts';
import { Problem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, uncached } from './http/response.ts';

export function redeliverOperation(
  ports: RedeliveryPorts & { readonly log: DeliveryLog },
): Operation {
  return async (request) => {
    readQuery(request, []);
    const answer = await redeliver(ports, tenantOf(request), readId(request, 'batch_id'));
    switch (answer.kind) {
      case 'batch-unknown':
        throw batchNotFound();
      case 'refused':
        throw new Problem('not-redeliverable', REFUSALS[answer.because]);
      case 'too-soon':
        throw tooSoon(answer.retryAfterSeconds);
      case 'accepted': {
        const { batch, event } = answer;
        const attempts = await ports.log.attempts(batch.batchId, event.event);
        return uncached(202, deliveriesView(batch, event, attempts), pollAgain(false));
      }
    }
  };
}

const REFUSALS: Readonly<
  Record<Extract<RedeliveryAnswer, { kind: 'refused' }>['because'], string>
> = {
  'no webhook': 'The batch was created without a webhook_url: there is nowhere to deliver to.',
  'not finished': 'The batch is not finished: its webhook is sent once it is.',
  'used up': `The batch was delivered again ${MAX_REDELIVERIES} times, the most there are; its status has everything.`,
};

function tooSoon(seconds: number): Problem {
  return new Problem(
    'throttled',
    `A redelivery was asked for, or an attempt is being made; ask again in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

export const handler = handleKeyed('redeliver', (table) => {
  const env = environment('WEBHOOK_QUEUE_URL');
  return redeliverOperation({
    batches: dynamoBatchStore(table),
    outbox: { ...dynamoOutboxStore(table), ...dynamoRedeliveries(table) },
    log: dynamoDeliveryLog(table),
    timer: sqsDeliveryTimer(new SQSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_QUEUE_URL),
    clock: table.clock,
    onDeliveryLeft: logFailure('redelivery'),
  });
});
