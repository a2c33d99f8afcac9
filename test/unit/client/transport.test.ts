import { SoilClient, SoilError } from 'soil-batch-client';
import { describe, expect, it } from 'vitest';
import { chooseWait, DEFAULT_RETRIES, parseRetryAfter } from '../../../client/src/http/retries.ts';
import { statusWith } from '../../support/client/responses.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const HEALTH = { status: 'ok', version: '1', deployment: 'v2' };
const OPTIONS = { baseUrl: 'https://v2.soil.example', apiKey: 'key' };

describe('the options', () => {
  it.each([
    ['an invalid base URL', { ...OPTIONS, baseUrl: 'v2.soil.example' }],
    ['another scheme', { ...OPTIONS, baseUrl: 'file:///v2' }],
    ['a user in the URL', { ...OPTIONS, baseUrl: 'https://me@v2.soil.example' }],
    ['a password in the URL', { ...OPTIONS, baseUrl: 'https://:geheim@v2.soil.example' }],
    ['http to another machine', { ...OPTIONS, baseUrl: 'http://v2.soil.example' }],
    [
      'http to a host name that resembles localhost',
      { ...OPTIONS, baseUrl: 'http://localhost.example' },
    ],
    [
      'http to an address that resembles 127.0.0.1',
      { ...OPTIONS, baseUrl: 'http://127.0.0.1.example' },
    ],
    ['a query', { ...OPTIONS, baseUrl: 'https://v2.soil.example?x=1' }],
    ['no key', { ...OPTIONS, apiKey: '' }],
    ['a key with a line break', { ...OPTIONS, apiKey: 'soc_geheim\n' }],
  ])('must not have %s, and the error quotes neither key nor password', (_, options) => {
    const made = () => new SoilClient(options);
    expect(made).toThrow(SoilError);
    expect(made).not.toThrow(/geheim/);
  });
});

it.each([
  ['http://127.0.0.1:4566/', 'http://127.0.0.1:4566'],
  ['http://localhost:4566', 'http://localhost:4566'],
  ['http://v2.localhost', 'http://v2.localhost'],
  ['http://[::1]:80/v1/', 'http://[::1]'],
  ['https://v2.soil.example/v1', 'https://v2.soil.example'],
  ['https://soil.example/v2', 'https://soil.example/v2'],
])('the client with the base URL %s sends requests to %s', async (baseUrl, expected) => {
  const urls: string[] = [];
  const client = new SoilClient({
    ...OPTIONS,
    baseUrl,
    fetch: async (url) => {
      urls.push(url);
      return Response.json(HEALTH);
    },
  });
  await client.health();
  expect(urls).toEqual([`${expected}/health`]);
});

describe('a failed request', () => {
  const failure = (type: string, status: number | null, after?: number) =>
    new SoilError('x', { type, status, retryAfter: after ?? null });
  const first = { failed: 1, waitedSeconds: 0, repeatable: true };
  const wait = (error: SoilError, attempts: Partial<typeof first> = {}) =>
    chooseWait(error, { ...first, ...attempts }, DEFAULT_RETRIES, () => 1);

  it.each([
    ['no response', failure('network', null), 0.5],
    ['a fault of the service', failure('internal', 500), 0.5],
    ["a proxy's error page", failure('not-the-service', 502), 0.5],
    ["a proxy's rate limit", failure('not-the-service', 429, 9), 9],
    ['Retry-After', failure('unavailable', 503, 12), 12],
    ['throttling', failure('throttled', 429, 30), 30],
  ])('is retried after %s', (_, error, seconds) => {
    expect(wait(error)).toBe(seconds);
  });

  it.each([
    ['a spent quota', failure('quota-exceeded', 429, 10)],
    ['an invalid request', failure('validation', 422)],
    ['a rejected key', failure('unauthorized', 401)],
    ['a Retry-After beyond the limit', failure('throttled', 429, 301)],
  ])('is not retried after %s', (_, error) => {
    expect(wait(error)).toBeNull();
  });

  it('is retried only if that is safe or the service has not begun it', () => {
    expect(wait(failure('network', null), { repeatable: false })).toBeNull();
    expect(wait(failure('throttled', 429, 1), { repeatable: false })).toBe(1);
  });

  it('is retried after growing waits, within limits of attempts and seconds', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((failed) => wait(failure('network', null), { failed }));
    expect(waits).toEqual([0.5, 1, 2, 4, 8, null]);
    expect(wait(failure('throttled', 429, 10), { waitedSeconds: 291 })).toBeNull();
  });
});

it('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-11-22T11:00:00Z');
  const read = (value: string) => parseRetryAfter(new Headers({ 'Retry-After': value }), now);
  expect(read('7')).toBe(7);
  expect(read('Sun, 22 Nov 2026 11:00:09 GMT')).toBe(9);
  expect(read('Sun, 22 Nov 2026 10:00:00 GMT')).toBe(0);
  for (const value of ['', '-1', 'soon', '1.5']) expect(read(value)).toBeNull();
});

it('a repeated cancellation succeeds if the response to the first was lost', async () => {
  const problem = (type: string, status: number) => () =>
    Response.json({ type: `https://x/docs/problems/${type}`, title: type, status }, { status });
  const retries = { firstWaitSeconds: 0 };
  const lost = scriptedFetch(
    () => {
      throw new TypeError('fetch failed');
    },
    problem('batch-finished', 409),
    () => Response.json(statusWith({ status: 'partial' })),
  );
  const batch = (fetch: typeof lost.fetch) =>
    new SoilClient({ ...OPTIONS, fetch, retries }).batch('b');
  expect(await batch(lost.fetch).cancel()).toMatchObject({ status: 'partial' });

  const finished = scriptedFetch(problem('batch-finished', 409));
  await expect(batch(finished.fetch).cancel()).rejects.toMatchObject({ type: 'batch-finished' });
});

it('a redelivery and a webhook test are not retried if their responses are lost', async () => {
  const { fetch, exchanges } = scriptedFetch();
  const client = new SoilClient({ ...OPTIONS, fetch, retries: { firstWaitSeconds: 0 } });
  await expect(client.batch('b').redeliver()).rejects.toMatchObject({ type: 'network' });
  await expect(client.testWebhook({ webhook_url: 'https://x' })).rejects.toThrow(SoilError);
  expect(exchanges).toHaveLength(2);
});

it("an error has the violations, the request ID and the URL of the problem's page", async () => {
  const errors = [{ pointer: '/jobs/0/year', message: 'must be an integer' }];
  const page = 'https://v2.soil.example/docs/problems/validation';
  const body = {
    type: page,
    title: 'Invalid',
    detail: 'x',
    request_id: 'r-1',
    errors: [...errors, 7],
  };
  const { fetch } = scriptedFetch(() => Response.json(body, { status: 422 }));
  const client = new SoilClient({ ...OPTIONS, fetch });
  await expect(client.createBatch({ jobs: [] })).rejects.toMatchObject({
    message: 'Invalid: x',
    type: 'validation',
    status: 422,
    requestId: 'r-1',
    errors,
    page,
  });
});

it.each([
  ['an array', () => Response.json([])],
  ['an object without its fields', () => Response.json({ other: 1 })],
  ['text that is not JSON', () => new Response('<html>')],
  ['nothing', () => new Response(null, { status: 204 })],
])('a successful response with %s is not attributed to the service', async (_, response) => {
  const { fetch } = scriptedFetch(response);
  await expect(new SoilClient({ ...OPTIONS, fetch }).limits()).rejects.toMatchObject({
    type: 'not-the-service',
  });
});

it('the client reports each wait, and when it is over', async () => {
  const later = () => Response.json({ title: 'Later' }, { status: 503 });
  const { fetch } = scriptedFetch(later, later, () => Response.json(HEALTH));
  const events: string[] = [];
  const client = new SoilClient({
    ...OPTIONS,
    fetch,
    retries: { firstWaitSeconds: 0.01 },
    onWait: ({ over }) => {
      events.push('wait');
      over.then(() => events.push('over'));
    },
  });
  await client.health();
  expect(events).toEqual(['wait', 'wait', 'over', 'over']);
});

it('the client reports that a wait is over when its request is aborted', async () => {
  const { fetch } = scriptedFetch(() => Response.json({ title: 'Later' }, { status: 503 }));
  const abort = new AbortController();
  let over: Promise<void> | undefined;
  const client = new SoilClient({
    ...OPTIONS,
    fetch,
    onWait: (wait) => {
      over = wait.over;
      abort.abort();
    },
  });
  await expect(client.health({ signal: abort.signal })).rejects.toThrow(/abort/);
  await expect(over).resolves.toBeUndefined();
});
