import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { objectReader } from '../../../lambdas/adapters/s3/read-object.ts';

/** Answers to come, one a request; `null` hangs up. */
let answers: (readonly [number, string] | null)[] = [];
let asked: string[] = [];

const service = createServer((request, response) => {
  asked.push(String(request.url));
  const answer = answers.shift() ?? null;
  if (answer === null) response.destroy();
  else response.writeHead(answer[0]).end(answer[1]);
});

beforeAll(async () => {
  await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
});
afterAll(() => service.close());

beforeEach(() => {
  const address = service.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${address.port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAROLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'a-session');
  answers = [];
  asked = [];
});
afterEach(() => vi.unstubAllEnvs());

const read = () => objectReader('work')('requests/b.index.json');

describe('reading a small object', () => {
  it('asks as the function’s role, in its session', async () => {
    answers = [[200, '[1]']];
    expect(await read()).toBe('[1]');
    expect(asked[0]).toMatch(/^\/work\/requests\/b\.index\.json\?/);
    expect(asked[0]).toContain('X-Amz-Security-Token=a-session');
  });

  it('asks again when S3 fails, throttles or hangs up', async () => {
    answers = [[503, '<Code>SlowDown</Code>'], null, [200, 'there']];
    expect(await read()).toBe('there');
    expect(asked).toHaveLength(3);
  });

  it('gives up after three times', async () => {
    answers = [null, null, null, [200, 'late']];
    await expect(read()).rejects.toThrow('s3://work/requests/b.index.json');
    expect(asked).toHaveLength(3);
  });

  it('asks once for what it may not read, and tells no signature', async () => {
    answers = [[403, '<Code>AccessDenied</Code><Url>X-Amz-Signature=ab</Url>']];
    const failure = await read().catch(String);
    expect(failure).toMatch(/403 AccessDenied$/);
    expect(asked).toHaveLength(1);
  });
});
