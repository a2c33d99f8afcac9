import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { readReceived, receiveHttp } from '../support/delivery/local-receiver.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { encodingsOf } from './secrets/encodings.ts';
import { plantSecret } from './secrets/plant-secret.ts';
import { searchSecrets } from './secrets/search.ts';
import { makeStoredText, readAllStoredBytes, type StoredBytes } from './secrets/stored-bytes.ts';

const service = inject('service');
const started = new Date();
/** All API responses and deliveries, which are also searched. */
const exchanged: StoredBytes[] = [];
const secrets: string[] = [];

/** A long secret with characters that JSON and URLs escape. */
function makeSecret(): string {
  const secret = `geheim-${randomUUID()} "é\\ +/=&?`;
  secrets.push(secret);
  return secret;
}

/** A secret of printable ASCII characters, for a header. */
function makeHeaderSecret(): string {
  const secret = `geheim-${randomUUID()} "\\ +/=&?`;
  secrets.push(secret);
  return secret;
}

async function request(path: string, init: RequestInit = {}, base = service.v2_url) {
  const response = await fetch(`${base}${path}`, {
    ...init,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${service.api_key}`,
      ...init.headers,
    },
  });
  const body = await response.text();
  exchanged.push(
    makeStoredText('response', path, body),
    makeStoredText('response', path, [...response.headers]),
  );
  return { status: response.status, json: () => JSON.parse(body) };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}, base?: string) =>
  request(
    path,
    { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    base,
  );

const NOWHERE = { polygon: { type: 'Polygon', coordinates: [] }, year: 2024 };
const FIELD = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [5.73, 50.962],
        [5.7314, 50.962],
        [5.7314, 50.9629],
        [5.73, 50.9629],
        [5.73, 50.962],
      ],
    ],
  },
  year: 2024,
};

async function receiverWith(...statuses: readonly number[]) {
  let requests = 0;
  const receiver = await receiveHttp(async (incoming, response) => {
    const { headers, body, path } = await readReceived(incoming);
    exchanged.push(makeStoredText('delivery', path, headers), {
      kind: 'delivery',
      where: path,
      bytes: body,
    });
    response.writeHead(statuses[requests] ?? statuses.at(-1) ?? 200).end();
    requests += 1;
  });
  return { receiver, requests: () => requests };
}

async function createBatch(fields: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await post('/v1/batch', { jobs: [FIELD, NOWHERE], ...fields }, headers);
  expect(response.status).toBe(202);
  return response.json().batch_id;
}

async function waitForState(batchId: string, state: string): Promise<void> {
  const path = `/v1/batch/${batchId}/deliveries`;
  await eventually(
    async () => (await request(path)).json().state,
    (is) => is === state,
  );
}

async function useSecrets(): Promise<void> {
  const [good, rejecting, failing] = await Promise.all([
    receiverWith(200),
    receiverWith(404, 200),
    receiverWith(500, 200),
  ]);
  await using _good = good.receiver;
  await using _rejecting = rejecting.receiver;
  await using _failing = failing.receiver;
  const at = (to: typeof good, webhook_secret = makeSecret()) => ({
    webhook_url: to.receiver.url,
    webhook_secret,
  });
  const delivered = await createBatch(at(good));
  const byHeader = await createBatch(
    { webhook_url: good.receiver.url },
    { 'Webhook-Secret': makeHeaderSecret() },
  );
  const redelivered = await createBatch(at(rejecting));
  const again = await createBatch(at(failing));
  const cancelled = await createBatch(at(good));
  await post(`/v1/batch/${cancelled}/cancel`, '');
  await post('/v1/webhooks/test', at(good));
  await post('/v1/webhooks/test', at(failing));
  await useSecretsInvalidly(good.receiver.url);

  await waitForState(redelivered, 'permanent');
  await post(`/v1/batch/${redelivered}/deliveries`, '');
  for (const batchId of [delivered, byHeader, redelivered, again, cancelled]) {
    await waitForState(batchId, 'acknowledged');
    await request(`/v1/batch/${batchId}/status`);
  }
  const retry = await post(`/v1/batch/${delivered}/retry`, '');
  expect(retry.status).toBe(202);
  await waitForState(retry.json().batch_id, 'acknowledged');
}

async function useSecretsInvalidly(url: string): Promise<void> {
  const jobs = [NOWHERE];
  const secret = makeSecret();
  const bodies: readonly unknown[] = [
    `{"jobs":[],"webhook_secret":${JSON.stringify(makeSecret())}`,
    `${JSON.stringify(makeSecret())}`,
    makeSecret(),
    { jobs, webhook_url: url, webhook_secret: `${secret}${'x'.repeat(1_024)}` },
    { jobs, webhook_url: url, webhook_secret: [makeSecret()] },
    { jobs, webhook_url: url, webhook_secret: { of: makeSecret() } },
    { jobs: makeSecret(), webhook_secret: makeSecret() },
    { jobs, webhook_secret: makeSecret(), webhook_url: 'ftp://example.org' },
    { jobs, webhook_secret: makeSecret(), webhook_url: url, metadata: 1, unknown: true },
    `{"webhook_url":"${url}","webhook_secret":${JSON.stringify(makeSecret())},"webhook_secret":${JSON.stringify(makeSecret())}}`,
  ];
  for (const body of bodies) {
    for (const path of ['/v1/batch', '/v1/webhooks/test', '/v1/batch/estimate']) {
      expect((await post(path, body)).status, path).toBeGreaterThanOrEqual(400);
    }
  }
  const both = { jobs, webhook_url: url, webhook_secret: makeSecret() };
  expect((await post('/v1/batch', both, { 'Webhook-Secret': makeHeaderSecret() })).status).toBe(
    422,
  );
  await post('/v1/batch', both, { 'Content-Type': 'text/plain' });
  await post('/v1/batch', both, { Authorization: 'Bearer none' });
  await post('/v1/nowhere', both);
  await post('/v1/batch', { jobs: [], webhook_secret: makeSecret() }, {}, service.v1_url);
}

describe('the secrets of webhooks', () => {
  it('appear in no log, item, object, message, execution, response or delivery, in any usual encoding', async () => {
    await useSecrets();
    const stored = await searchSecrets(secrets, readAllStoredBytes(service, started));
    expect(stored.found).toEqual([]);
    for (const kind of ['log', 'item', 'object', 'execution'] as const) {
      expect(stored.seen.get(kind) ?? 0, kind).toBeGreaterThan(10);
    }
    expect((await searchSecrets(secrets, exchanged)).found).toEqual([]);
    expect(exchanged.length).toBeGreaterThan(50);
  });

  it('would be found in each kind of store', async () => {
    const planted = `geheim-${randomUUID()} "é\\ +/=&?`;
    await using _planted = await plantSecret(planted, service);
    const { found } = await searchSecrets(
      [planted],
      readAllStoredBytes(service, new Date(Date.now() - 60_000)),
    );
    const kinds = new Set(found.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['execution', 'item', 'log', 'message', 'object']);
  });

  it.each([
    'unchanged',
    'escaped as JSON',
    'escaped as JSON twice',
    'escaped for a URL',
    'in hexadecimal',
  ])('would be found when written %s', async (form) => {
    const secret = `geheim-${randomUUID()} "é\\ +/=&?`;
    const written = encodingsOf(secret).find(({ name }) => name === form)?.bytes ?? Buffer.alloc(0);
    const { found } = await searchSecrets(
      [secret],
      [makeStoredText('log', 'here', `before ${written} after`)],
    );
    expect(found.map((one) => one.form)).toContain(form);
  });

  it.each([0, 1, 2, 3, 4])(
    'would be found in the base64 of a text in which %i bytes precede it',
    async (before) => {
      const secret = `geheim-${randomUUID()} "é\\ +/=&?`;
      const whole = Buffer.from(`${'x'.repeat(before)}${secret}, and more`).toString('base64');
      expect(
        (await searchSecrets([secret], [makeStoredText('log', 'here', whole)])).found.length,
      ).toBeGreaterThan(0);
    },
  );
});
