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
 * Reads the attempt that a message requests; null for a message that an operator moved back from the dead-letter queue,
 * because its event has no attempts left.
 * @throws ZodError if the message is neither
 */
export function readMessage(body: string): DeliveryMessage | null {
  const message = z.union([requested, dead]).parse(JSON.parse(body));
  return 'attempt' in message ? message : null;
}

/**
 * A message becomes visible after its `DelaySeconds` (0–900). The message group makes the standard queue a fair queue:
 * while one tenant's slow receivers occupy the consumers, SQS delivers other tenants' messages first.
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
