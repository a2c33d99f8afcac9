import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import * as spec from '../../support/api/spec-schemas.ts';
import {
  httpReceiving,
  type LocalReceiver,
  type Received,
  received,
} from '../../support/delivery/local-receiver.ts';

export interface Delivery extends Received {
  readonly at: number;
  /** The status of the response. */
  readonly status: number;
}

/** A client's receiver that records every delivery. */
export interface RecordingReceiver extends AsyncDisposable {
  readonly url: string;
  deliveriesOf(batchId: string): readonly Delivery[];
}

/** @param statusAfter the status of the response, given the number of earlier deliveries */
export async function recordingReceiver(
  statusAfter: (earlier: number) => number,
): Promise<RecordingReceiver> {
  const deliveries: Delivery[] = [];
  const server: LocalReceiver = await httpReceiving(async (request, response) => {
    const at = Date.now();
    const whole = await received(request);
    const status = statusAfter(deliveries.length);
    deliveries.push({ ...whole, at, status });
    response.writeHead(status).end();
  });
  return {
    url: server.url,
    deliveriesOf: (batchId) =>
      deliveries.filter(({ body }) => body.toString('utf8').includes(`"batch_id":"${batchId}"`)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Checks that all deliveries of a batch have the same id, bytes and signature. @returns the body */
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
