import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sqsDeliveryTimer } from '../../../lambdas/adapters/sqs/delivery-timer.ts';

const sendMessage = z.looseObject({ MessageBody: z.string() });

/** What a queue was sent; it answers with the digest that the SDK checks. */
const sent: z.infer<typeof sendMessage>[] = [];
const queue = createServer(async (request, response) => {
  const message = sendMessage.parse(await json(request));
  sent.push(message);
  const MD5OfMessageBody = createHash('md5').update(message.MessageBody).digest('hex');
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify({ MessageId: 'm-1', MD5OfMessageBody }));
});
let endpoint = '';

beforeAll(async () => {
  await new Promise<void>((ready) => queue.listen(0, '127.0.0.1', ready));
  const address = queue.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  endpoint = `http://127.0.0.1:${address.port}`;
});
afterAll(() => queue.close());

describe('the timer of deliveries', () => {
  it('delays each message by its own time, in the group of its tenant', async () => {
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const sqs = new SQSClient({ endpoint, region: 'eu-west-1', credentials });
    const timer = sqsDeliveryTimer(sqs, `${endpoint}/000000000000/webhooks`);
    const message = { batch_id: 'b-1', event: 'batch.completed', attempt: 2 } as const;
    await timer.schedule(message, 30, 'farm');
    expect(sent).toMatchObject([
      { MessageBody: JSON.stringify(message), DelaySeconds: 30, MessageGroupId: 'farm' },
    ]);
  });
});
