import { type Fetch, MemorySink, SoilClient } from 'soil-batch-client';
import { afterEach, describe, expect, it, vi } from 'vitest';

const ETAG = '"1"';
const RESULT = 'https://results.soil.example/r.tif?X-Amz-Signature=secret';

afterEach(() => {
  vi.useRealTimers();
});

/** A body of which a byte arrives every half second, as long as nobody cancels it. */
function dripping(): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new Uint8Array(1)), 500);
    },
    cancel: () => clearInterval(timer),
  });
}

function clientOf(fetch: Fetch) {
  const options = { baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch };
  return new SoilClient({ ...options, retries: { attempts: 3, firstWaitSeconds: 1 } });
}

describe('a download that arrives a byte at a time', () => {
  it('is given up after some connections', async () => {
    vi.useFakeTimers();
    let connections = 0;
    const job = {
      ...{ job_id: 'j', job_index: 0, name: 'a', year: 2021, status: 'completed' },
      ...{ signed_cog_url: RESULT, result: { bytes: 1e6, etag: ETAG, media_type: 'image/tiff' } },
    };
    const client = clientOf(async (url, init) => {
      if (url.endsWith('/result')) {
        return new Response(null, { status: 302, headers: { Location: RESULT } });
      }
      if (!url.startsWith('https://results')) {
        return Response.json({ batch_id: 'b', jobs: [job], has_more: false });
      }
      connections += 1;
      const range = new Headers(init.headers).get('Range');
      const from = /\d+/.exec(range ?? '')?.[0];
      const headers = { ETag: ETAG, 'Content-Range': `bytes ${from}-999999/1000000` };
      return new Response(dripping(), { status: range === null ? 200 : 206, headers });
    });
    const outcome = client
      .batch('b')
      .download(new MemorySink())
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await outcome).toMatchObject({
      type: 'download',
      message: 'a_2021.tif (job j) can not be downloaded: fewer than 30000 bytes in 60 s.',
    });
    expect(connections).toBe(3);
  });
});

describe('a response that arrives a byte at a time', () => {
  it('is given up after the time-out', async () => {
    vi.useFakeTimers();
    const outcome = clientOf(async () => new Response(dripping()))
      .usage()
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(await outcome).toMatchObject({
      type: 'network',
      message: 'GET /v1/usage: no response: not whole after 60 s.',
    });
  });
});
