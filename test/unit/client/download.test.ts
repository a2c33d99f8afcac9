import { type Fetch, type Job, SoilClient } from 'soil-batch-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { jobWith, STATUS } from '../../support/client/responses.ts';

const ETAG = '"1"';
const RESULT = 'https://results.soil.example/r.tif?X-Amz-Signature=secret';
const CONTENT = Uint8Array.from({ length: 10 }, (_, index) => index);
const JOB = jobWith({
  signed_cog_url: RESULT,
  result: { bytes: 10, etag: ETAG, media_type: 'image/tiff' },
});

/** Downloads a result from a bucket with the given responses; the service returns new URLs. */
function startDownload(bucket: (from: number) => Response, job: Job = JOB, signal?: AbortSignal) {
  const ranges: (string | null)[] = [];
  const fetch: Fetch = async (url, init) => {
    if (!url.startsWith('https://results')) {
      return new Response(null, { status: 302, headers: { Location: RESULT } });
    }
    const range = new Headers(init.headers).get('Range');
    ranges.push(range);
    if (ranges.length > 50) throw new Error('requests without end');
    return bucket(Number(/\d+/.exec(range ?? '0')));
  };
  const options = { baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch };
  const client = new SoilClient({ ...options, retries: { attempts: 4, firstWaitSeconds: 0 } });
  return { stream: client.batch(STATUS.batch_id).download(job, { signal }), ranges };
}

const bytesOf = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

const makeWholeResponse = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(bytes, { headers: { ETag: ETAG } });
const makePartResponse = (bytes: Uint8Array<ArrayBuffer>, from: number) =>
  new Response(bytes, {
    status: 206,
    headers: { ETag: ETAG, 'Content-Range': `bytes ${from}-9/10` },
  });

afterEach(() => {
  vi.useRealTimers();
});

describe('a download', () => {
  it('sends no request before the stream is read', async () => {
    const { stream, ranges } = startDownload(() => makeWholeResponse(CONTENT));
    expect(ranges).toEqual([]);
    expect(await bytesOf(stream)).toEqual(CONTENT);
    expect(ranges).toEqual([null]);
  });

  it('continues as long as each connection quickly brings some bytes', async () => {
    const { stream, ranges } = startDownload((from) => {
      const byte = CONTENT.slice(from, from + 1);
      return from === 0 ? makeWholeResponse(byte) : makePartResponse(byte, from);
    });
    expect(await bytesOf(stream)).toEqual(CONTENT);
    expect(ranges.slice(0, 3)).toEqual([null, 'bytes=1-', 'bytes=2-']);
    expect(ranges).toHaveLength(10);
  });

  it('skips received bytes if a bucket without range support sends the whole content again', async () => {
    let connections = 0;
    const { stream } = startDownload(() => {
      connections += 1;
      return makeWholeResponse(CONTENT.slice(0, connections < 3 ? 6 : 10));
    });
    expect(await bytesOf(stream)).toEqual(CONTENT);
  });

  it.each<[string, (from: number) => Response]>([
    [
      'cuts each connection and does not support ranges',
      () => makeWholeResponse(CONTENT.slice(0, 6)),
    ],
    [
      'sends a different range from the one requested',
      (from) =>
        from === 0
          ? makeWholeResponse(CONTENT.slice(0, 6))
          : makePartResponse(CONTENT.slice(0, 4), 0),
    ],
    ['has other content', () => new Response(CONTENT, { headers: { ETag: '"2"' } })],
    ['sends more bytes than the status says', () => makeWholeResponse(new Uint8Array(11))],
    ['no longer has the result', () => new Response(null, { status: 404 })],
  ])('fails if the bucket %s', async (_, bucket) => {
    const { stream, ranges } = startDownload(bucket);
    const error: unknown = await bytesOf(stream).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: 'download' });
    // The signed URL is a secret.
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('secret');
    expect(ranges.length).toBeLessThan(10);
  });

  it('is rejected for a job without a result', () => {
    const job = { ...JOB, status: 'failed', signed_cog_url: null, result: null } as const;
    expect(() => startDownload(() => makeWholeResponse(CONTENT), job)).toThrow(
      expect.objectContaining({ type: 'invalid-input' }),
    );
  });

  it.each<[string, (stream: ReadableStream, abort: AbortController) => Promise<unknown>]>([
    ['its signal aborts', async (_, abort) => abort.abort(new Error('enough'))],
    ['its reader cancels', (stream) => stream.cancel()],
  ])('ends its connection when %s', async (_, end) => {
    let isOpen = true;
    const endless = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel: () => {
          isOpen = false;
        },
      });
    const abort = new AbortController();
    const job = { ...JOB, result: { bytes: 1e9, etag: ETAG, media_type: 'image/tiff' } };
    const { stream } = startDownload(
      () => new Response(endless(), { headers: { ETag: ETAG } }),
      job,
      abort.signal,
    );
    const reader = stream.getReader();
    await reader.read();
    reader.releaseLock();
    await end(stream, abort);
    await stream
      .getReader()
      .read()
      .catch(() => {});
    expect(isOpen).toBe(false);
  });

  it('fails after several slow connections, each with a byte every half second', async () => {
    vi.useFakeTimers();
    const job = { ...JOB, result: { bytes: 1e6, etag: ETAG, media_type: 'image/tiff' } };
    const { stream, ranges } = startDownload((from) => {
      const headers = { ETag: ETAG, 'Content-Range': `bytes ${from}-999999/1000000` };
      return new Response(makeDripping(), { status: from === 0 ? 200 : 206, headers });
    }, job);
    const outcome = bytesOf(stream).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(400_000);
    expect(await outcome).toMatchObject({ type: 'download' });
    expect(ranges).toHaveLength(4);
  });

  it('continues for a reader that pauses for hours', async () => {
    vi.useFakeTimers();
    const { stream, ranges } = startDownload((from) => {
      const half = CONTENT.slice(from, from + 5);
      return from === 0 ? makeWholeResponse(half) : makePartResponse(half, from);
    });
    const reader = stream.getReader();
    expect((await reader.read()).value).toEqual(CONTENT.slice(0, 5));
    await vi.advanceTimersByTimeAsync(7_200_000);
    const rest = reader.read();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await rest).value).toEqual(CONTENT.slice(5));
    expect(ranges).toHaveLength(2);
  });
});

function makeDripping(): ReadableStream<Uint8Array<ArrayBuffer>> {
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new Uint8Array(1)), 500);
    },
    cancel: () => clearInterval(timer),
  });
}
