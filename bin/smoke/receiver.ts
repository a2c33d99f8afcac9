import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { StageName } from '../../lib/stages.ts';
import { receiveWebhooks } from '../../local/demo/webhook-receiver.ts';
import { type ApiClient, read } from './api-client.ts';
import { require, waitFor } from './check.ts';

/** Where the webhooks of the smoke test go. */
export interface SmokeReceiver {
  readonly url: string;
  readonly secret: string;
  /** What a delivery comes to there. */
  readonly outcome: 'acknowledged' | 'permanent';
  /** What was seen of the first delivery, beside the log. @throws Error when its signature is wrong */
  inspect(): Promise<string>;
  close(): void;
}

/**
 * - the one given, which must answer 2xx;
 * - on this machine, one of its own, which checks the signature;
 * - else the stage's own health page: a public host that refuses POST. That a delivery was refused
 *   there with 405 shows that it was made, over the internet, without a host of the operator's.
 */
export async function openReceiver(
  stage: StageName,
  given: string | null,
  v1Url: string,
): Promise<SmokeReceiver> {
  const secret = randomBytes(24).toString('base64url');
  const remote = (url: string, outcome: SmokeReceiver['outcome'], note: string) => ({
    url,
    secret,
    outcome,
    inspect: async () => note,
    close: () => {},
  });
  if (given !== null) return remote(given, 'acknowledged', 'its signature is for you to check');
  if (stage !== 'local') {
    return remote(`${v1Url}/health`, 'permanent', 'at the stage’s own health page, which refuses');
  }
  const receiver = await receiveWebhooks(secret);
  return {
    url: receiver.url,
    secret,
    outcome: 'acknowledged',
    close: receiver.close,
    async inspect() {
      const { headers, body } = await receiver.first(30_000);
      const expected = createHmac('sha256', secret).update(body).digest('hex');
      require(headers['x-service-signature'] === expected, 'the signature is wrong');
      return `${body.length} bytes, rightly signed`;
    },
  };
}

const log = z.looseObject({
  state: z.string().nullable(),
  redeliveries: z.number(),
  attempts: z.array(z.looseObject({ outcome: z.string(), status_code: z.number().nullable() })),
});

const tested = z.looseObject({ outcome: z.string(), reason: z.string(), signed: z.boolean() });

/** The batch's webhook, its repetition and a test delivery, as the log tells them. */
export async function deliveries(
  api: ApiClient,
  batchId: string,
  receiver: SmokeReceiver,
): Promise<string> {
  const path = { batch_id: batchId };
  const logOf = async () => read(log, await api.call('getDeliveries', { path }));
  const ended = (redeliveries: number) =>
    waitFor('the delivery ends', 90, logOf, (seen) => {
      return seen.redeliveries === redeliveries && seen.state !== 'due' && seen.state !== null;
    });
  const first = await ended(0);
  const last = first.attempts.at(-1);
  require(first.state ===
    receiver.outcome, `the delivery is ${first.state}, not ${receiver.outcome}: ${JSON.stringify(last)}`);
  await api.call('redeliver', { path });
  const again = await ended(1);
  require(again.state === receiver.outcome, `the redelivery is ${again.state}`);
  const body = JSON.stringify({ webhook_url: receiver.url, webhook_secret: receiver.secret });
  const test = read(tested, await api.call('testWebhook', { body }));
  require(test.outcome ===
    receiver.outcome, `the test delivery is ${test.outcome}: ${test.reason}`);
  return `${first.state} (${last?.status_code}), twice, and a test; ${await receiver.inspect()}`;
}
