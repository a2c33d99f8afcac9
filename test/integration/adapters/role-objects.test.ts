import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { roleObjects } from '../../../lambdas/adapters/s3/objects.ts';
import {
  type LocalReceiver,
  type Received,
  readReceived,
  receiveHttp,
} from '../../support/delivery/local-receiver.ts';

/** The next responses, one per request; `null` closes the connection. */
let planned: (readonly [number, string] | null)[] = [];
let requests: Received[] = [];
let service: LocalReceiver;

beforeAll(async () => {
  service = await receiveHttp(async (request, response) => {
    requests.push(await readReceived(request));
    const next = planned.shift() ?? null;
    if (next === null) response.destroy();
    else response.writeHead(next[0]).end(next[1]);
  });
});
afterAll(() => service[Symbol.asyncDispose]());

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ENDPOINT_URL', service.origin);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAROLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'a-session');
  planned = [];
  requests = [];
});
afterEach(() => vi.unstubAllEnvs());

const KEY = 'requests/b.index.json';

async function read(): Promise<string> {
  return new TextDecoder().decode(await roleObjects('work').read(KEY));
}

describe('reading a small object', () => {
  it('signs with the function’s role session', async () => {
    planned = [[200, '[1]']];
    expect(await read()).toBe('[1]');
    expect(requests[0]?.method).toBe('GET');
    expect(requests[0]?.path).toMatch(/^\/work\/requests\/b\.index\.json\?/);
    expect(requests[0]?.path).toContain('X-Amz-Security-Token=a-session');
  });

  it('retries if S3 fails, throttles or closes the connection', async () => {
    planned = [[503, '<Code>SlowDown</Code>'], null, [200, 'there']];
    expect(await read()).toBe('there');
    expect(requests).toHaveLength(3);
  });

  it('fails after three attempts', async () => {
    planned = [null, null, null, [200, 'late']];
    await expect(read()).rejects.toThrow('s3://work/requests/b.index.json');
    expect(requests).toHaveLength(3);
  });

  it('does not retry a denied read, and reports no signature', async () => {
    planned = [[403, '<Code>AccessDenied</Code><Url>X-Amz-Signature=ab</Url>']];
    const failure = await read().catch(String);
    expect(failure).toMatch(/403 AccessDenied$/);
    expect(requests).toHaveLength(1);
  });
});

describe('reading a part of an object', () => {
  it('requests only the bytes of that part', async () => {
    planned = [[206, '{}']];
    await roleObjects('work').read(KEY, { offset: 10, length: 2 });
    expect(requests[0]?.headers.range).toBe('bytes=10-11');
  });
});

describe('writing an object', () => {
  it('sends its bytes to a URL signed for PUT', async () => {
    planned = [[200, '']];
    await roleObjects('work').write(KEY, '[{"name":"Né"}]');
    expect(requests[0]?.method).toBe('PUT');
    expect(requests[0]?.path).toMatch(/^\/work\/requests\/b\.index\.json\?.*x-id=PutObject/);
    expect(requests[0]?.body.toString()).toBe('[{"name":"Né"}]');
    expect(requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('retries if S3 fails', async () => {
    planned = [null, [500, ''], [200, '']];
    await roleObjects('work').write(KEY, Buffer.alloc(100_000, 'x'));
    expect(requests.map(({ body }) => body.length)).toEqual([100_000, 100_000, 100_000]);
  });

  it('fails if it is denied', async () => {
    planned = [[403, '<Code>AccessDenied</Code>']];
    await expect(roleObjects('work').write(KEY, '[]')).rejects.toThrow(
      /^PutObject .*403 AccessDenied$/,
    );
  });
});
