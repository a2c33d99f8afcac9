import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DeadLetters, DeliveryTimer } from '../../domain/delivery/outbox.ts';

/**
 * A queue as a timer: a message becomes visible after its `DelaySeconds` (0–900). Its group makes the
 * standard queue a fair one: while slow receivers of one tenant occupy the consumers, SQS delivers the
 * messages of other tenants first.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export function sqsDeliveryTimer(sqs: SQSClient, queueUrl: string): DeliveryTimer {
  return {
    async schedule(message, delaySeconds, tenant) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(message),
          DelaySeconds: delaySeconds,
          MessageGroupId: tenant,
        }),
      );
    },
  };
}

/** An alarm watches the depth of this queue. */
export function sqsDeadLetters(sqs: SQSClient, queueUrl: string): DeadLetters {
  return {
    async send(event) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify({
            batch_id: event.batchId,
            event: event.event,
            event_id: event.eventId,
            attempts: event.attempts,
          }),
        }),
      );
    },
  };
}
