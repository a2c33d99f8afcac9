import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import * as spec from '../api/spec-schemas.ts';
import { eventually } from '../deployed/eventually.ts';
import { type LocalReceiver, type Received, readReceived, receiveHttp } from './local-receiver.ts';

export interface Delivery extends Received {
  readonly at: number;
  readonly status: number;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  deliveriesOf(batchId: string): readonly Delivery[];
  first(batchId: string): Promise<Delivery>;
}

/** @param statusAfter returns the status of the response, given the number of earlier deliveries */
export async function webhookReceiver(
  statusAfter: (earlier: number) => number = () => 200,
): Promise<WebhookReceiver> {
  const deliveries: Delivery[] = [];
  const server: LocalReceiver = await receiveHttp(async (request, response) => {
    const at = Date.now();
    const whole = await readReceived(request);
    const status = statusAfter(deliveries.length);
    deliveries.push({ ...whole, at, status });
    response.writeHead(status).end();
  });
  const deliveriesOf = (batchId: string) =>
    deliveries.filter(({ body }) => body.toString('utf8').includes(`"batch_id":"${batchId}"`));
  return {
    url: server.url,
    deliveries,
    deliveriesOf,
    first: (batchId) =>
      eventually(
        async () => deliveriesOf(batchId)[0],
        (delivery) => delivery !== undefined,
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Checks that deliveries have the same ID and bytes, and the right signature. @returns the event */
export function checkOneEvent(deliveries: readonly Delivery[], secret: string) {
  const [first] = deliveries;
  if (first === undefined) throw new Error('nothing was delivered');
  const signature = createHmac('sha256', secret).update(first.body).digest('hex');
  for (const { headers, body } of deliveries) {
    expect(body.equals(first.body), 'the same bytes').toBe(true);
    expect(headers['x-service-signature']).toBe(signature);
    expect(headers['webhook-id']).toBe(first.headers['webhook-id']);
  }
  return spec.webhook.parse(JSON.parse(first.body.toString('utf8')));
}
