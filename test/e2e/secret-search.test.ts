import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { httpReceiving, received } from '../integration/delivery/local-receiver.ts';
import { eventually } from './eventually.ts';
import { formsOf } from './secrets/forms.ts';
import { leave } from './secrets/left.ts';
import { everything, type Find, text } from './secrets/places.ts';
import { search } from './secrets/search.ts';

const service = inject('service');
const started = new Date();
/** What the API answered, and what receivers were sent: kept, and searched with the rest. */
const said: Find[] = [];
const secrets: string[] = [];

/** Long, and changed by every kind of escaping. */
function newSecret(): string {
  const secret = `geheim-${randomUUID()} "é\\ +/=&?`;
  secrets.push(secret);
  return secret;
}

/** Printable, as a header must be. */
function newHeaderSecret(): string {
  const secret = `geheim-${randomUUID()} "\\ +/=&?`;
  secrets.push(secret);
  return secret;
}

async function ask(path: string, init: RequestInit = {}, base = service.v2_url) {
  const answer = await fetch(`${base}${path}`, {
    ...init,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${service.api_key}`,
      ...init.headers,
    },
  });
  const body = await answer.text();
  said.push(text('answer', path, body), text('answer', path, [...answer.headers]));
  return { status: answer.status, json: () => JSON.parse(body) };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}, base?: string) =>
  ask(
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

/** Answers with one status after the other, the last one for ever. */
async function receiving(...statuses: readonly number[]) {
  let requests = 0;
  const receiver = await httpReceiving(async (request, response) => {
    const { headers, body, path } = await received(request);
    said.push(text('delivery', path, headers), { kind: 'delivery', where: path, bytes: body });
    response.writeHead(statuses[requests] ?? statuses.at(-1) ?? 200).end();
    requests += 1;
  });
  return { receiver, requests: () => requests };
}

async function batchWith(members: object, headers: Record<string, string> = {}): Promise<string> {
  const answer = await post('/v1/batch', { jobs: [FIELD, NOWHERE], ...members }, headers);
  expect(answer.status).toBe(202);
  return answer.json().batch_id;
}

async function untilState(batchId: string, state: string): Promise<void> {
  const path = `/v1/batch/${batchId}/deliveries`;
  await eventually(
    async () => (await ask(path)).json().state,
    (is) => is === state,
  );
}

/** Everything that may be done with a secret, well or badly. */
async function useSecrets(): Promise<void> {
  const [good, refusing, failing] = await Promise.all([
    receiving(200),
    receiving(404, 200),
    receiving(500, 200),
  ]);
  await using _good = good.receiver;
  await using _refusing = refusing.receiver;
  await using _failing = failing.receiver;
  const at = (to: typeof good, webhook_secret = newSecret()) => ({
    webhook_url: to.receiver.url,
    webhook_secret,
  });
  const delivered = await batchWith(at(good));
  const byHeader = await batchWith(
    { webhook_url: good.receiver.url },
    { 'Webhook-Secret': newHeaderSecret() },
  );
  const redelivered = await batchWith(at(refusing));
  const again = await batchWith(at(failing));
  const cancelled = await batchWith(at(good));
  await post(`/v1/batch/${cancelled}/cancel`, '');
  await post('/v1/webhooks/test', at(good));
  await post('/v1/webhooks/test', at(failing));
  await useSecretsBadly(good.receiver.url);

  await untilState(redelivered, 'permanent');
  await post(`/v1/batch/${redelivered}/deliveries`, '');
  for (const batchId of [delivered, byHeader, redelivered, again, cancelled]) {
    await untilState(batchId, 'acknowledged');
    await ask(`/v1/batch/${batchId}/status`);
  }
  const retry = await post(`/v1/batch/${delivered}/retry`, '');
  expect(retry.status).toBe(202);
  await untilState(retry.json().batch_id, 'acknowledged');
}

async function useSecretsBadly(url: string): Promise<void> {
  const jobs = [NOWHERE];
  const secret = newSecret();
  const bodies: readonly unknown[] = [
    `{"jobs":[],"webhook_secret":${JSON.stringify(newSecret())}`,
    `${JSON.stringify(newSecret())}`,
    newSecret(),
    { jobs, webhook_url: url, webhook_secret: `${secret}${'x'.repeat(1_024)}` },
    { jobs, webhook_url: url, webhook_secret: [newSecret()] },
    { jobs, webhook_url: url, webhook_secret: { of: newSecret() } },
    { jobs: newSecret(), webhook_secret: newSecret() },
    { jobs, webhook_secret: newSecret(), webhook_url: 'ftp://example.org' },
    { jobs, webhook_secret: newSecret(), webhook_url: url, metadata: 1, unknown: true },
    `{"webhook_url":"${url}","webhook_secret":${JSON.stringify(newSecret())},"webhook_secret":${JSON.stringify(newSecret())}}`,
  ];
  for (const body of bodies) {
    for (const path of ['/v1/batch', '/v1/webhooks/test', '/v1/batch/estimate']) {
      expect((await post(path, body)).status, path).toBeGreaterThanOrEqual(400);
    }
  }
  const both = { jobs, webhook_url: url, webhook_secret: newSecret() };
  expect((await post('/v1/batch', both, { 'Webhook-Secret': newHeaderSecret() })).status).toBe(422);
  await post('/v1/batch', both, { 'Content-Type': 'text/plain' });
  await post('/v1/batch', both, { Authorization: 'Bearer none' });
  await post('/v1/nowhere', both);
  await post('/v1/batch', { jobs: [], webhook_secret: newSecret() }, {}, service.v1_url);
}

describe('the secrets of webhooks', () => {
  it('are nowhere once they were used, in no form: no log, item, object, message, execution or answer', async () => {
    await useSecrets();
    const kept = await search(secrets, everything(service, started));
    expect(kept.found).toEqual([]);
    for (const kind of ['log', 'item', 'object', 'execution'] as const) {
      expect(kept.seen.get(kind) ?? 0, kind).toBeGreaterThan(10);
    }
    expect((await search(secrets, said)).found).toEqual([]);
    expect(said.length).toBeGreaterThan(50);
  });

  it('would be found wherever one were left', async () => {
    const planted = `geheim-${randomUUID()} "é\\ +/=&?`;
    await using _left = await leave(planted, service);
    const { found } = await search([planted], everything(service, new Date(Date.now() - 60_000)));
    const kinds = new Set(found.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['execution', 'item', 'log', 'message', 'object']);
  });

  it.each([
    'as it is',
    'escaped as JSON',
    'escaped as JSON twice',
    'escaped for a URL',
    'in hexadecimal',
  ])('would be found when written %s', async (form) => {
    const secret = `geheim-${randomUUID()} "é\\ +/=&?`;
    const written = formsOf(secret).find(({ name }) => name === form)?.bytes ?? Buffer.alloc(0);
    const { found } = await search([secret], [text('log', 'here', `before ${written} after`)]);
    expect(found.map((one) => one.form)).toContain(form);
  });

  it.each([0, 1, 2, 3, 4])(
    'would be found in base64 of a text that has it after %i bytes',
    async (before) => {
      const secret = `geheim-${randomUUID()} "é\\ +/=&?`;
      const whole = Buffer.from(`${'x'.repeat(before)}${secret}, and more`).toString('base64');
      expect((await search([secret], [text('log', 'here', whole)])).found.length).toBeGreaterThan(
        0,
      );
    },
  );
});
