import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DeliveryTimer } from '../../domain/delivery/outbox.ts';

/** A queue as a timer: the message becomes visible after its own `DelaySeconds` (0–900). */
export function sqsDeliveryTimer(sqs: SQSClient, queueUrl: string): DeliveryTimer {
  return {
    async schedule(message, delaySeconds) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(message),
          DelaySeconds: delaySeconds,
        }),
      );
    },
  };
}
