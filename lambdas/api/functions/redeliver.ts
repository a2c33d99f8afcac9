import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../../adapters/client-options.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoDeliveryLog } from '../../adapters/dynamodb/delivery-log.ts';
import { dynamoOutboxStore } from '../../adapters/dynamodb/outbox.ts';
import { dynamoRedeliveries } from '../../adapters/dynamodb/redeliveries.ts';
import { environment } from '../../adapters/environment.ts';
import { sqsDeliveryTimer } from '../../adapters/sqs/delivery-timer.ts';
import { logFailure } from '../../log.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { redeliverOperation } from '../operations/webhook/redeliver.ts';

export const handler = handleKeyed('redeliver', (table) => {
  const env = environment('WEBHOOK_QUEUE_URL');
  return {
    redeliver: redeliverOperation({
      batches: dynamoBatchStore(table),
      outbox: { ...dynamoOutboxStore(table), ...dynamoRedeliveries(table) },
      log: dynamoDeliveryLog(table),
      timer: sqsDeliveryTimer(new SQSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_QUEUE_URL),
      clock: table.clock,
      onDeliveryLeft: logFailure('redelivery'),
    }),
  };
});
