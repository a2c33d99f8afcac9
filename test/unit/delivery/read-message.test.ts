import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import {
  readMessage,
  sqsDeadLetters,
  sqsDeliveryQueue,
} from '../../../lambdas/adapters/webhook/delivery-queues.ts';
import { messageFor, type OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';

const EVENT: OutboxEvent = {
  batch_id: '01890000-0000-7000-8000-000000000000',
  event: 'batch.completed',
  event_id: 'e3c7b4f0-0000-5000-8000-000000000000',
  state: 'exhausted',
  attempts: 6,
  next_attempt_at: '2026-03-04T05:06:07.089Z',
};

async function readSentBody(send: (sqs: SQSClient) => Promise<void>): Promise<string> {
  let body = '';
  const recorder: Pick<SQSClient, 'send'> = {
    send: async ({ input }: SendMessageCommand) => {
      body = input.MessageBody ?? '';
    },
  };
  await send(recorder as SQSClient);
  return body;
}

describe('a message of the delivery queue', () => {
  it('requests the attempt that was scheduled', async () => {
    const body = await readSentBody((sqs) =>
      sqsDeliveryQueue(sqs, 'queue').enqueue(messageFor(EVENT), 0, 'tenant'),
    );
    expect(readMessage(body)).toEqual(messageFor(EVENT));
  });

  it('requests nothing if it was moved from the dead-letter queue', async () => {
    const body = await readSentBody((sqs) => sqsDeadLetters(sqs, 'dead').send(EVENT));
    expect(readMessage(body)).toBeNull();
  });

  it.each(['{}', '{"batch_id":"x","event":"batch.completed","attempt":1}'])(
    'is rejected if it is neither an attempt nor a dead letter: %s',
    (body) => {
      expect(() => readMessage(body)).toThrow();
    },
  );
});
