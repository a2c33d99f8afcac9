import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import * as spec from '../../e2e/contract/spec-schemas.ts';
import {
  httpReceiving,
  type LocalReceiver,
  type Received,
  received,
} from '../../integration/delivery/local-receiver.ts';

export interface Delivery extends Received {
  readonly at: number;
  readonly answer: number;
}

/** A client's receiver that keeps all it gets. */
export interface RememberingReceiver extends AsyncDisposable {
  readonly url: string;
  about(batchId: string): readonly Delivery[];
}

/** @param answer the status it answers with, given how many deliveries came before */
export async function remembering(
  answer: (before: number) => number,
): Promise<RememberingReceiver> {
  const deliveries: Delivery[] = [];
  const server: LocalReceiver = await httpReceiving(async (request, response) => {
    const at = Date.now();
    const whole = await received(request);
    const status = answer(deliveries.length);
    deliveries.push({ ...whole, at, answer: status });
    response.writeHead(status).end();
  });
  return {
    url: server.url,
    about: (batchId) =>
      deliveries.filter(({ body }) => body.toString('utf8').includes(`"batch_id":"${batchId}"`)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Holds all deliveries about one batch to one event: one id, the same bytes, signed the same. */
export function oneEvent(deliveries: readonly Delivery[], secret: string) {
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
