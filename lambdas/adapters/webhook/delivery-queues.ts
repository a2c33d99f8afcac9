import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { DeadLetters, DeliveryMessage, DeliveryQueue } from '../../domain/delivery/outbox.ts';
import { isBatchId } from '../../domain/identity.ts';

const batchEvent = {
  batch_id: z.string().check(z.refine(isBatchId, 'not a batch id')),
  event: z.literal('batch.completed'),
};

const requested = z.strictObject({
  ...batchEvent,
  attempt: z.int().check(z.positive()),
  redelivery: z.optional(z.int().check(z.positive())),
});

const dead = z.strictObject({ ...batchEvent, event_id: z.string(), attempts: z.int() });

/**
 * The attempt that a message of the queue requests; null for one that an operator moved here from the
 * dead-letter queue, because its event is exhausted.
 * @throws ZodError if it is neither
 */
export function readMessage(body: string): DeliveryMessage | null {
  const message = z.union([requested, dead]).parse(JSON.parse(body));
  return 'attempt' in message ? message : null;
}

/**
 * A message becomes visible after its `DelaySeconds` (0–900). Its group makes the
 * standard queue a fair one: while slow receivers of one tenant occupy the consumers, SQS delivers the
 * messages of other tenants first.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export function sqsDeliveryQueue(sqs: SQSClient, queueUrl: string): DeliveryQueue {
  return {
    async enqueue(message, delaySeconds, tenant) {
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
            batch_id: event.batch_id,
            event: event.event,
            event_id: event.event_id,
            attempts: event.attempts,
          }),
        }),
      );
    },
  };
}
