import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { httpReceiver } from '../../../lambdas/adapters/webhook/http-receiver.ts';
import { testWebhookOperation } from '../../../lambdas/api/operations/test-webhook.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { webhookBody } from '../../../lambdas/domain/batch/batch-schema.ts';
import { webhookTestSchema } from '../../../lambdas/domain/delivery/delivery-schema.ts';
import type { ReceiverPolicy } from '../../../lambdas/domain/delivery/receiver-policy.ts';
import { TESTS_PER_MINUTE } from '../../../lambdas/domain/delivery/test-delivery.ts';
import { handle } from '../../../local/dev/handle.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';
import { type Received, readReceived, receiveHttp } from '../../support/delivery/local-receiver.ts';

const LOCAL: ReceiverPolicy = {
  schemes: ['https', 'http'],
  ports: 'any',
  privateReceivers: 'allow',
};
const PUBLIC: ReceiverPolicy = { schemes: ['https'], ports: [443], privateReceivers: 'refuse' };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function service(
  policy = LOCAL,
  resolve = { address: '10.0.0.8', family: 4 } as const,
  waiting: { readonly responseTimeoutMs?: number } = {},
) {
  const counts = new Map<string, number>();
  const log: string[] = [];
  const time = { now: new Date('2026-03-04T05:06:07.089Z') };
  const allowance = {
    take: async (tenant: string, minute: string, allowed: number) => {
      const taken = counts.get(`${tenant} ${minute}`) ?? 0;
      if (taken >= allowed) return 'used-up' as const;
      counts.set(`${tenant} ${minute}`, taken + 1);
      return 'taken' as const;
    },
  };
  const options = policy === PUBLIC ? { resolve: async () => [resolve] } : {};
  const receiver = httpReceiver({
    policy,
    userAgent: 'test/1',
    ...waiting,
    ...options,
  });
  const ports = { allowance, receiver, receiverPolicy: policy, clock: () => time.now };
  const handler = handle(
    routeNamed('test-webhook'),
    () => testWebhookOperation(ports),
    (level, event, members) => log.push(JSON.stringify({ level, event, ...members })),
  );
  const call = (body: object, tenant?: string, headers?: Record<string, string>) =>
    callWith(JSON.stringify(body), tenant, headers);
  const callWith = async (
    sentBody: string,
    tenant = 'alpha',
    headers: Record<string, string> = {},
  ) => {
    const path = '/v1/webhooks/test';
    const json = { 'Content-Type': 'application/json', ...headers };
    const sent = { method: 'POST', path, tenant, headers: json, body: sentBody };
    const { statusCode, headers: responded, body: text } = await handler(gatewayEvent(sent));
    return { statusCode, headers: responded, text, body: JSON.parse(text) };
  };
  return { call, callWith, counts, log, time };
}

async function receiving(respond: RequestListener) {
  const requests: Received[] = [];
  const server = await receiveHttp(async (request, response) => {
    requests.push(await readReceived(request));
    respond(request, response);
  });
  return { server, requests };
}

describe('a webhook under test', () => {
  it('receives a signed sample of the completion webhook, marked as a test', async () => {
    const { server, requests } = await receiving((_request, response) => response.end());
    await using receiver = server;
    const { call, log } = service();
    const { statusCode, text, body } = await call({
      webhook_url: receiver.url,
      webhook_secret: SECRET,
    });
    expect(statusCode).toBe(200);
    const [request] = requests;
    if (request === undefined) throw new Error('nothing was sent');
    expect(webhookTestSchema.parse(body)).toMatchObject({
      outcome: 'acknowledged',
      status_code: 200,
      reason: expect.stringContaining('200'),
      body_bytes: request.body.byteLength,
      webhook_id: request.headers['webhook-id'],
      signed: true,
    });
    expect(webhookBody.parse(JSON.parse(request.body.toString('utf8')))).toMatchObject({
      test: true,
      status: 'completed',
    });
    const signature = createHmac('sha256', SECRET).update(request.body).digest('hex');
    expect(request.headers).toMatchObject({
      'x-service-signature': signature,
      'x-service-event': 'batch.completed',
    });
    expect([text, ...log].join()).not.toContain(SECRET);
  });

  it("has a signature that Standard Webhooks' own library accepts", async () => {
    const { server, requests } = await receiving((_request, response) => response.end());
    await using receiver = server;
    const { call, time } = service();
    time.now = new Date();
    await call({ webhook_url: receiver.url, webhook_secret: SECRET });
    const [request] = requests;
    if (request === undefined) throw new Error('nothing was sent');
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    expect(() => new Webhook(SECRET).verify(request.body.toString('utf8'), headers)).not.toThrow();
  });

  it('takes the secret from the header, and is sent unsigned without a secret', async () => {
    const { server, requests } = await receiving((_request, response) => response.end());
    await using receiver = server;
    const { call } = service();
    const url = { webhook_url: receiver.url };
    expect((await call(url, 'alpha', { 'Webhook-Secret': 'from a header' })).body.signed).toBe(
      true,
    );
    expect((await call({ ...url, webhook_secret: null })).body.signed).toBe(false);
    expect(requests[0]?.headers).toHaveProperty('x-service-signature');
    expect(requests[1]?.headers).not.toHaveProperty('x-service-signature');
  });

  it.each([
    [302, 'permanent', 'redirects are not followed'],
    [404, 'permanent', '404'],
    [500, 'retry', '500'],
  ])('is reported by its response: %i is %s', async (statusCode, outcome, why) => {
    const { server, requests } = await receiving((_request, response) =>
      response.writeHead(statusCode, { location: '/' }).end(),
    );
    await using receiver = server;
    const { body } = await service().call({ webhook_url: receiver.url });
    expect(body).toMatchObject({ outcome, status_code: statusCode });
    expect(body.reason).toContain(why);
    expect(requests).toHaveLength(1);
  });

  it('is reported as timed out if the receiver does not respond', async () => {
    const { server } = await receiving(() => undefined);
    await using receiver = server;
    const { call } = service(LOCAL, undefined, { responseTimeoutMs: 500 });
    const { body } = await call({ webhook_url: receiver.url });
    expect(body).toMatchObject({ outcome: 'retry', status_code: null });
    expect(body.reason).toMatch(/\(\d+(\.\d+)? s\)/);
  });
});

describe('a test of a webhook', () => {
  it('is rejected when a creation would reject the URL', async () => {
    const { call, counts } = service(PUBLIC);
    const { statusCode, body } = await call({ webhook_url: 'https://169.254.169.254/latest' });
    expect(statusCode).toBe(422);
    expect(body.errors[0]).toMatchObject({ pointer: '/webhook_url' });
    expect(body.errors[0].message).toContain('metadata service');
    const port = await call({ webhook_url: 'https://example.org:22/' });
    expect(port.body.errors[0].message).toBe('is refused: its port is 22; allowed: 443');
    expect(counts.size).toBe(0);
  });

  it('sends nothing to a name that resolves to a private network', async () => {
    const { body } = await service(PUBLIC).call({ webhook_url: 'https://rebound.example/' });
    expect(body).toMatchObject({ outcome: 'permanent', status_code: null });
    expect(body.reason).toMatch(/not sent: .*10\.0\.0\.8.*private/);
  });

  it.each([
    ['a missing URL', {}, '/webhook_url'],
    ['a number for a URL', { webhook_url: 1 }, '/webhook_url'],
    [
      'an empty secret',
      { webhook_url: 'http://127.0.0.1/', webhook_secret: '' },
      '/webhook_secret',
    ],
    ['an unknown field', { webhook_url: 'http://127.0.0.1/', jobs: [] }, '/jobs'],
  ])('is rejected with %s', async (_case, body, pointer) => {
    const response = await service().call(body);
    expect(response.statusCode).toBe(422);
    expect(response.body.errors[0].pointer).toBe(pointer);
  });

  it.each([
    ['/webhook_url', '{"webhook_url":"http://127.0.0.1/","webhook_url":"http://127.0.0.2/"}'],
    [
      '/webhook_secret',
      '{"webhook_url":"http://127.0.0.1/","webhook_secret":"a","webhook_\\u0073ecret":"b"}',
    ],
  ])('is rejected if it has %s twice', async (pointer, body) => {
    const { callWith, counts } = service();
    const response = await callWith(body);
    expect(response.statusCode).toBe(422);
    expect(response.body.errors).toMatchObject([
      { pointer, message: expect.stringMatching(/once/) },
    ]);
    expect(counts.size).toBe(0);
  });

  it('reports all errors together', async () => {
    const { body } = await service().call({ webhook_url: 'x', webhook_secret: 5, jobs: [] });
    const pointers = body.errors.map((error: { readonly pointer: string }) => error.pointer);
    expect(pointers.toSorted()).toEqual(['/jobs', '/webhook_secret', '/webhook_url']);
  });

  it('is rejected with the names of the known fields if it has an unknown field', async () => {
    const { body } = await service().call({ webhook_url: 'http://127.0.0.1/', url: 1 });
    expect(body.errors[0].message).toContain('allowed: webhook_url, webhook_secret');
  });

  it(`is allowed ${TESTS_PER_MINUTE} times per minute and tenant`, async () => {
    const { server, requests } = await receiving((_request, response) => response.end());
    await using receiver = server;
    const { call, time } = service();
    const url = { webhook_url: receiver.url };
    for (let test = 0; test < TESTS_PER_MINUTE; test++) {
      expect((await call(url)).statusCode).toBe(200);
    }
    const throttled = await call(url);
    expect(throttled.statusCode).toBe(429);
    expect(throttled.headers).toMatchObject({ 'Retry-After': '53' });
    expect(requests).toHaveLength(TESTS_PER_MINUTE);
    expect((await call(url, 'beta')).statusCode).toBe(200);
    time.now = new Date('2026-03-04T05:07:00.000Z');
    expect((await call(url)).statusCode).toBe(200);
  });
});
