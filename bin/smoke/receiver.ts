import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { StageName } from '../../lib/stages.ts';
import { receiveWebhooks } from '../../local/demo/webhook-receiver.ts';
import { type ApiClient, read } from './api-client.ts';
import { require, waitFor } from './check.ts';

/** The receiver of the smoke test's webhooks. */
export interface SmokeReceiver {
  readonly url: string;
  readonly secret: string;
  /** The expected outcome of a delivery. */
  readonly outcome: 'acknowledged' | 'permanent';
  /** Checks the first delivery at the receiver. @throws Error if its signature is wrong */
  inspect(): Promise<string>;
  close(): void;
}

/**
 * - the given URL, which must respond with 2xx;
 * - for the local stage, a server in this process, which checks the signature;
 * - otherwise the stage's health page, a public URL that rejects POST. A 405 shows that the delivery
 *   was made over the internet, and the operator needs no host.
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
  if (given !== null) return remote(given, 'acknowledged', 'signature not checked');
  if (stage !== 'local') {
    return remote(`${v1Url}/health`, 'permanent', 'to the stage’s health page, which rejects POST');
  }
  const receiver = await receiveWebhooks(secret);
  return {
    url: receiver.url,
    secret,
    outcome: 'acknowledged',
    close: receiver.close,
    async inspect() {
      return `${await receiver.first(30_000)} bytes, signature valid`;
    },
  };
}

const log = z.looseObject({
  state: z.string().nullable(),
  redeliveries: z.number(),
  attempts: z.array(z.looseObject({ outcome: z.string(), status_code: z.number().nullable() })),
});

const tested = z.looseObject({ outcome: z.string(), reason: z.string(), signed: z.boolean() });

/** Checks the log of a batch's delivery, a redelivery and a test delivery. */
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
  const second = await ended(1);
  require(second.state === receiver.outcome, `the redelivery is ${second.state}`);
  const body = JSON.stringify({ webhook_url: receiver.url, webhook_secret: receiver.secret });
  const test = read(tested, await api.call('testWebhook', { body }));
  require(test.outcome ===
    receiver.outcome, `the test delivery is ${test.outcome}: ${test.reason}`);
  return `${first.state} (${last?.status_code}), redelivery and test too; ${await receiver.inspect()}`;
}
