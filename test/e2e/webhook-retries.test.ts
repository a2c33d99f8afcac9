import { createHmac } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { httpReceiving, type Received, received } from '../support/delivery/local-receiver.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret of retries';

interface Attempt extends Received {
  readonly at: number;
}

/** A receiver that responds with these statuses in order; the last one repeats. */
async function receiverWith(...statuses: readonly number[]) {
  const attempts: Attempt[] = [];
  const receiver = await httpReceiving(async (request, response) => {
    const at = Date.now();
    attempts.push({ ...(await received(request)), at });
    response.writeHead(statuses[attempts.length - 1] ?? statuses.at(-1) ?? 500).end();
  });
  return { receiver, attempts };
}

/** A batch whose only job fails at once, because only its webhook is tested. */
async function post(webhookUrl: string): Promise<string> {
  const order = {
    jobs: [{ polygon: { type: 'Polygon', coordinates: [] }, year: 2024 }],
    webhook_url: webhookUrl,
    webhook_secret: SECRET,
  };
  const response = await call('/v1/batch', { body: JSON.stringify(order) });
  return spec.created.parse(response.json).batch_id;
}

async function until(condition: () => boolean, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1_000;
  while (!condition() && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('a delivery that is not acknowledged', () => {
  it('is retried after 10 s and 30 s with the same bytes on 5xx, and never on 404', async () => {
    const failing = await receiverWith(500, 503, 200);
    const rejecting = await receiverWith(404);
    await using _failing = failing.receiver;
    await using _rejecting = rejecting.receiver;
    const [batchId] = await Promise.all([post(failing.receiver.url), post(rejecting.receiver.url)]);

    await until(() => failing.attempts.length >= 3 && rejecting.attempts.length >= 1, 240);
    const [first, second, third] = failing.attempts;
    if (first === undefined || second === undefined || third === undefined) {
      throw new Error(`there were ${failing.attempts.length} attempts`);
    }
    expect(second.at - first.at).toBeGreaterThanOrEqual(10_000);
    expect(third.at - second.at).toBeGreaterThanOrEqual(30_000);
    for (const { body } of [second, third]) expect(body.equals(first.body)).toBe(true);
    expect(spec.webhook.parse(JSON.parse(first.body.toString('utf8'))).batch_id).toBe(batchId);
    const signature = createHmac('sha256', SECRET).update(first.body).digest('hex');
    for (const { headers } of [first, second, third]) {
      expect(headers['x-service-signature']).toBe(signature);
      expect(headers['webhook-id']).toBe(first.headers['webhook-id']);
    }

    // In the same time the rejected one must not have been retried.
    expect(rejecting.attempts).toHaveLength(1);
  });
});
