import { readFileSync } from 'node:fs';
import type { NewBatch } from 'soil-batch-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Timestamp } from '../../../lambdas/domain/clock.ts';
import { signatureHeaders } from '../../../lambdas/domain/delivery/signature.ts';
import { aBox } from '../../support/box.ts';
import { EVENT } from '../../support/client/responses.ts';
import { inChromium, inNode, type Runtime } from '../../support/client/runtimes.ts';
import type { Scenarios, Service } from '../../support/client/scenarios.ts';
import { type DevService, startDevService } from './dev-service.ts';
import {
  EXPIRED,
  type Fault,
  type FaultProxy,
  HTML_503,
  problem,
  startFaultProxy,
} from './fault-proxy.ts';

const CREATION = /^POST \/v1\/batch$/;
const STATUS = /^GET \/v1\/batch\/[^/]+\/status/;
const RESULT = /^GET \/results\//;

const example: NewBatch = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));
const BATCH = { jobs: example.jobs.slice(0, 2) };
const NAMES = BATCH.jobs.map(({ name }) => name);

const SMALL: NewBatch = { jobs: [{ year: 2021, polygon: aBox(5.735, 50.967, 5.737, 50.969) }] };

let service: DevService;
let proxy: FaultProxy;
let finished = '';
let whole: Awaited<ReturnType<Scenarios['download']>>;

beforeAll(async () => {
  service = await startDevService();
  proxy = await startFaultProxy(service.url);
  const { run } = await inNode();
  const direct = { baseUrl: service.url, apiKey: service.apiKey };
  const { value } = await run('create', [direct, BATCH, 'finished']);
  finished = (value as Awaited<ReturnType<Scenarios['create']>>).created;
  whole = (await run('download', [direct, finished])).value as typeof whole;
});
afterAll(async () => {
  await proxy.close();
  await service.stop();
});

it('the service has results for the comparison', () => {
  expect(whole).toMatchObject({ status: 'completed', jobs: NAMES, rows: NAMES, lines: 3 });
  expect(Object.keys(whole.rasters)).toHaveLength(2);
});

describe.each([
  ['Node', inNode],
  ['Chromium', inChromium],
] as const)('in %s,', (name, start) => {
  let runtime: Runtime;
  let through: Service;
  let runs = 0;
  beforeAll(async () => {
    runtime = await start();
    through = { baseUrl: proxy.url, apiKey: service.apiKey };
  });
  afterAll(() => runtime.close());
  beforeEach(() => proxy.plan());

  it.each<readonly [string, Fault, number]>([
    ['the connection is reset before the request', { kind: 'reset' }, 2],
    ['the response is lost after the batch is created', { kind: 'lost' }, 2],
    ['a load balancer responds with HTML', HTML_503, 2],
    ['the service fails', problem(500, 'internal', 0), 2],
    ['the request is throttled', problem(429, 'throttled', 1), 1],
  ])('one batch is created even if %s', async (_, fault, times) => {
    runs += 1;
    proxy.plan({ request: CREATION, times, fault });
    const { value, error } = await runtime.run('create', [through, SMALL, `${name}-${runs}`]);
    expect(error).toBeUndefined();
    const { created, listed } = value as Awaited<ReturnType<Scenarios['create']>>;
    expect(proxy.unmet()).toEqual([]);
    expect(listed).toEqual([created]);
    const keys = proxy.requests(CREATION).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(times + 1);
  });

  it.each<readonly [string, RegExp, Fault, number]>([
    ['nothing fails', RESULT, { kind: 'reset' }, 0],
    ['the status is not available', STATUS, problem(503, 'unavailable', 0), 2],
    ['the connection for the status is reset', STATUS, { kind: 'lost' }, 2],
    ['the connection for a file is reset', RESULT, { kind: 'reset' }, 3],
    ['the connection breaks in the middle of a file', RESULT, { kind: 'half', end: 'reset' }, 4],
    ['a file ends early', RESULT, { kind: 'half', end: 'whole' }, 4],
    ['the bucket is slow', RESULT, { kind: 'response', status: 503, body: '<Error/>' }, 3],
    [
      'a network answers with its sign-in page',
      RESULT,
      { kind: 'response', status: 200, body: '<html>Sign in</html>' },
      3,
    ],
  ])('the files are identical when %s', async (_, request, fault, times) => {
    proxy.plan({ request, times, fault });
    const { value, error } = await runtime.run('download', [through, finished]);
    expect(error).toBeUndefined();
    expect(value).toEqual(whole);
    expect(proxy.unmet()).toEqual([]);
    // Each fault costs one more request for its file.
    if (request === RESULT) expect(proxy.requests(RESULT)).toHaveLength(2 + times);
    if (fault.kind === 'half') {
      const resumed = proxy.requests(RESULT).filter(({ headers }) => headers.range !== undefined);
      expect(resumed.length).toBe(times);
    }
  });

  it.each([
    ['S3', EXPIRED, 1],
    ['a proxy that allows no origin', { ...EXPIRED, headers: {} }, 2],
  ])('a new URL is requested when %s rejects the signed URL', async (_, fault, times) => {
    const [jobId = ''] = Object.keys(whole.rasters);
    const request = new RegExp(`^GET /results/.*${jobId}`);
    proxy.plan({ request, times, fault });
    const { value } = await runtime.run('download', [through, finished]);
    expect(value).toEqual(whole);
    const links = proxy.requests(request).map(({ link }) => link);
    expect(links).toHaveLength(1 + times);
    expect(links.at(-1)).toBeGreaterThan(Number(links[0]));
  });

  it('the key is sent only to the service', async () => {
    await runtime.run('download', [through, finished]);
    const keys = (pattern: RegExp) =>
      proxy.requests(pattern).map(({ headers }) => headers.authorization ?? 'none');
    expect(new Set(keys(/^GET \/v1\//))).toEqual(new Set([`Bearer ${service.apiKey}`]));
    expect(new Set(keys(RESULT))).toEqual(new Set(['none']));
  });

  it.each<readonly [string, Fault, object]>([
    [
      'a used-up quota immediately',
      problem(429, 'quota-exceeded', 3600),
      { type: 'quota-exceeded', status: 429, retryAfter: 3600, requestId: 'r-1', errors: [] },
    ],
    [
      'an error if the requested wait is longer than allowed',
      problem(429, 'throttled', 100_000),
      { type: 'throttled', retryAfter: 100_000 },
    ],
    [
      'an error for HTML with status 200, by its media type',
      {
        kind: 'response',
        status: 200,
        headers: { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' },
        body: '<html>Sign in</html>',
      },
      { type: 'not-the-service', status: 200, message: expect.stringContaining('text/html') },
    ],
    [
      'an error for HTML with an error status, by its text',
      {
        kind: 'response',
        status: 404,
        headers: { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' },
        body: '<html><body><h1>Not here</h1></body></html>',
      },
      { type: 'not-the-service', message: expect.stringMatching(/HTTP 404 "Not here"/) },
    ],
    [
      'an error for a redirect, whose target would get the key',
      { kind: 'response', status: 302, headers: { Location: 'https://evil.example/' }, body: '' },
      { type: expect.stringMatching(/not-the-service|network/) },
    ],
  ])('the client throws %s', async (_, fault, expected) => {
    proxy.plan({ request: /^GET \/v1\/usage$/, times: 10, fault });
    const { error } = await runtime.run('usage', [{ ...through, attempts: 1 }]);
    expect(error).toMatchObject(expected);
    expect(proxy.requests(/usage/).filter(({ request }) => request.startsWith('GET'))).toHaveLength(
      1,
    );
  });

  it('the client throws after the allowed attempts if the service stays unavailable', async () => {
    proxy.plan({ request: /^GET \/v1\/usage$/, times: 10, fault: { kind: 'reset' } });
    const { error } = await runtime.run('usage', [{ ...through, attempts: 3 }]);
    expect(error).toMatchObject({ type: 'network', status: null });
    expect(proxy.requests(/^GET \/v1\/usage$/).length).toBeGreaterThanOrEqual(3);
  });

  it('the client stops waiting for a throttled request when it is aborted', async () => {
    proxy.plan({ request: /^GET \/v1\/usage$/, times: 1, fault: problem(429, 'throttled', 60) });
    expect(await runtime.run('abort', [through])).toEqual({ value: 'AbortError' });
  });

  it('the client verifies a webhook', async () => {
    const body = JSON.stringify(EVENT);
    const sentAt = '2026-11-22T11:00:00.000Z' as Timestamp;
    const message = { body: Buffer.from(body), secret: 'gehéim', eventId: 'e-1', sentAt };
    const args = [body, signatureHeaders(message), 'gehéim', Date.parse(sentAt)];
    expect(await runtime.run('verify', args)).toEqual({ value: EVENT.batch_id });
    const { error } = await runtime.run('verify', [`${body} `, ...args.slice(1)]);
    expect(error).toMatchObject({ type: 'signature' });
  });
});
