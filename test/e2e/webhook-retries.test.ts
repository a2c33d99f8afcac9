import { describe, expect, inject, it } from 'vitest';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { checkOneEvent, webhookReceiver } from '../support/delivery/webhook-receiver.ts';
import { collectMetrics, readLogLines } from '../support/deployed/log-lines.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret of retries';

/** A receiver that responds with these statuses in order; the last one repeats. */
const receiverWith = (...statuses: readonly number[]) =>
  webhookReceiver((earlier) => statuses[earlier] ?? statuses.at(-1) ?? 500);

async function post(webhookUrl: string): Promise<string> {
  const order = {
    jobs: [{ polygon: { type: 'Polygon', coordinates: [] }, year: 2024 }],
    webhook_url: webhookUrl,
    webhook_secret: SECRET,
  };
  const response = await call('/v1/batch', { body: JSON.stringify(order) });
  return spec.created.parse(response.json).batch_id;
}

async function waitUntil(condition: () => boolean, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1_000;
  while (!condition() && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('an unacknowledged delivery', () => {
  it('is retried with the same bytes after 5xx responses, at least 10 s and then 30 s later, but not after a 404', async () => {
    const since = new Date();
    await using failing = await receiverWith(500, 503, 200);
    await using rejecting = await receiverWith(404);
    const [batchId] = await Promise.all([post(failing.url), post(rejecting.url)]);

    await waitUntil(() => failing.deliveries.length >= 3 && rejecting.deliveries.length >= 1, 240);
    const [first, second, third] = failing.deliveries;
    if (first === undefined || second === undefined || third === undefined) {
      throw new Error(`there were ${failing.deliveries.length} attempts`);
    }
    expect(second.at - first.at).toBeGreaterThanOrEqual(10_000);
    expect(third.at - second.at).toBeGreaterThanOrEqual(30_000);
    expect(checkOneEvent([first, second, third], SECRET).batch_id).toBe(batchId);

    // Meanwhile, the rejected delivery must not have been retried.
    expect(rejecting.deliveries).toHaveLength(1);

    // The runbooks about deliveries look for these lines.
    const lines = await readLogLines(service, since);
    const log = lines.find(
      ({ fields }) => fields?.['batch_id'] === batchId && fields['attempt'] === 1,
    );
    expect(log?.fields).toMatchObject({
      ...{ event: 'delivery', outcome: 'retried', status_code: 500 },
      next_attempt_at: expect.stringMatching(/^\d{4}-/),
    });
    const attempts = collectMetrics(lines).get('DeliveryAttempts') ?? [];
    expect(attempts.filter(({ kind }) => kind === 'retried').length).toBeGreaterThanOrEqual(2);
  });
});
