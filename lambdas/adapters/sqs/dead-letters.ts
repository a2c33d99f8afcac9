import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DeadLetters } from '../../domain/delivery/outbox.ts';

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
