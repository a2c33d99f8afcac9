import { sqsClient } from '../../adapters/clients.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoDeliveryLog } from '../../adapters/dynamodb/delivery-log.ts';
import { dynamoOutboxStore, dynamoRedeliveries } from '../../adapters/dynamodb/outbox.ts';
import { env } from '../../adapters/environment.ts';
import { sqsDeliveryTimer } from '../../adapters/webhook/delivery-queues.ts';
import { logFailure } from '../../observability/log.ts';
import { WEBHOOK_OPERATIONS } from '../definitions/webhooks.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { redeliverOperation } from '../operations/webhook/redeliver.ts';

export const handler = handleKeyed('redeliver', WEBHOOK_OPERATIONS, (table) => {
  return {
    redeliver: redeliverOperation({
      batches: dynamoBatchStore(table),
      outbox: { ...dynamoOutboxStore(table), ...dynamoRedeliveries(table) },
      log: dynamoDeliveryLog(table),
      timer: sqsDeliveryTimer(sqsClient(), env.WEBHOOK_QUEUE_URL),
      clock: table.clock,
      onAttemptNotQueued: logFailure('redelivery'),
    }),
  };
});
