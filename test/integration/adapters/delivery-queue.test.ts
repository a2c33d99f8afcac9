import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sqsDeliveryQueue } from '../../../lambdas/adapters/webhook/delivery-queues.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

const sendMessage = z.looseObject({ MessageBody: z.string() });

/** Messages sent to the queue. It responds with the digest that the SDK checks. */
const sent: z.infer<typeof sendMessage>[] = [];
const queue = await receiveHttp(async (request, response) => {
  const message = sendMessage.parse(await json(request));
  sent.push(message);
  const MD5OfMessageBody = createHash('md5').update(message.MessageBody).digest('hex');
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify({ MessageId: 'm-1', MD5OfMessageBody }));
});
const endpoint = queue.origin;

afterAll(() => queue[Symbol.asyncDispose]());

describe('the delivery queue', () => {
  it('receives a message with its delay and its tenant’s message group', async () => {
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const sqs = new SQSClient({ endpoint, region: 'eu-west-1', credentials });
    const deliveryQueue = sqsDeliveryQueue(sqs, `${endpoint}/000000000000/webhooks`);
    const message = { batch_id: 'b-1', event: 'batch.completed', attempt: 2 } as const;
    await deliveryQueue.enqueue(message, 30, 'farm');
    expect(sent).toMatchObject([
      { MessageBody: JSON.stringify(message), DelaySeconds: 30, MessageGroupId: 'farm' },
    ]);
  });
});
