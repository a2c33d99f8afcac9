import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { type Fetch, type ResultFile, SoilClient } from 'soil-batch-client';
import { DirectorySink } from 'soil-batch-client/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const CONTENT = randomBytes(3_000_000);
const ETAG = `"${createHash('md5').update(CONTENT).digest('hex')}"`;
const LOG = '.soil-batch-downloads';

let bucket: Server;
let url = '';
let ranges: (string | undefined)[] = [];
let withRanges = true;
let content = CONTENT;
let etag = ETAG;

/** A bucket as S3: ETag, and ranges that begin at a byte. */
beforeAll(async () => {
  bucket = createServer(({ headers: { range } }, response) => {
    ranges.push(range);
    const requested = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const from = withRanges ? requested : 0;
    response.setHeader('ETag', etag);
    response.setHeader('Content-Length', content.length - from);
    if (from > 0) {
      response.setHeader('Content-Range', `bytes ${from}-${content.length - 1}/${content.length}`);
      response.writeHead(206);
    }
    response.end(content.subarray(from));
  }).listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const address = bucket.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}/r.tif`;
});
afterAll(() => {
  bucket.close();
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'soil-batch-sink-'));
  ranges = [];
  withRanges = true;
  content = CONTENT;
  etag = ETAG;
});
afterEach(() => rmSync(folder, { recursive: true }));

const measured = () => ({ bytes: content.length, etag, media_type: 'image/tiff' });

/** A service with one completed job, whose result is in the bucket. The first connection may break. */
function batch(
  bytesOfFirst = Number.POSITIVE_INFINITY,
  { attempts = 1, result = measured() }: { attempts?: number; result?: object } = {},
) {
  const job = { job_id: 'j0', job_index: 0, name: 'a', year: 2021, signed_cog_url: url, result };
  let left = bytesOfFirst;
  const fetching: Fetch = (target, init) => {
    if (target !== url) {
      return Promise.resolve(Response.json({ batch_id: 'b', jobs: [job], has_more: false }));
    }
    const bytes = left;
    left = Number.POSITIVE_INFINITY;
    return cutOff(fetch(target, init), bytes);
  };
  const retries = { attempts, firstWaitSeconds: 0 };
  const options = { baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch: fetching, retries };
  return new SoilClient(options).batch('b');
}

/** A connection that breaks after some bytes. */
async function cutOff(responding: Promise<Response>, bytes: number): Promise<Response> {
  const response = await responding;
  if (response.body === null || !Number.isFinite(bytes)) return response;
  const { status, headers } = response;
  let left = bytes;
  const cutting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (left > 0) controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.error(new Error('connection reset'));
    },
  });
  return new Response(response.body.pipeThrough(cutting), { status, headers });
}

const download = () => batch().download(new DirectorySink(folder));
/** Simulates a crash, after which no `suspend` has closed the part in order. */
const interrupted = (bytes: number) =>
  expect(batch(bytes).download(new DirectorySink(folder))).rejects.toMatchObject({
    type: 'download',
    message: expect.stringMatching(/^a_2021\.tif \(job j0\) can not be downloaded: /),
  });
/** Compared as buffers: a matcher would compare byte by byte. */
const isWhole = () => readFileSync(join(folder, 'a_2021.tif')).equals(content);
const visible = () => readdirSync(folder).filter((name) => name !== LOG);

describe('a folder', () => {
  it('has a file under its name only when it is whole, and continues it where it stopped', async () => {
    await interrupted(1_000_000);
    expect(visible()).toEqual([`a_2021.tif.${ETAG.slice(1, -1)}.part`]);
    await interrupted(500_000);
    const [done] = await download();
    expect(done).toMatchObject({ skipped: false, file: { name: 'a_2021.tif', bytes: 3_000_000 } });
    expect(ranges).toEqual([undefined, 'bytes=1000000-', 'bytes=1500000-']);
    expect(visible()).toEqual(['a_2021.tif']);
    expect(isWhole()).toBe(true);
  });

  it('skips a whole file without a request', async () => {
    await download();
    expect(await download()).toMatchObject([{ skipped: true }]);
    expect(ranges).toHaveLength(1);
  });

  it('only renames a file that was whole when the process ended', async () => {
    const part = join(folder, `a_2021.tif.${ETAG.slice(1, -1)}.part`);
    writeFileSync(part, CONTENT);
    await download();
    expect(ranges).toEqual([]);
    expect(isWhole()).toBe(true);
  });

  it.each([
    ['has another size', () => appendFileSync(join(folder, 'a_2021.tif'), 'x')],
    ['is missing', () => rmSync(join(folder, 'a_2021.tif'))],
    ['is not in the log', () => rmSync(join(folder, LOG))],
    ['is in a torn line of the log', () => writeFileSync(join(folder, LOG), '{"name":"a_2021')],
  ])('downloads a file again that %s', async (_, damage) => {
    await download();
    damage();
    expect(await download()).toMatchObject([{ skipped: false }]);
    expect(await download()).toMatchObject([{ skipped: true }]);
    expect(isWhole()).toBe(true);
  });

  it('forgets a file that is removed, also when it is opened again', async () => {
    await download();
    await new DirectorySink(folder).remove('a_2021.tif');
    expect(visible()).toEqual([]);
    expect(await new DirectorySink(folder).digestOf('a_2021.tif')).toBeNull();
    await download();
    expect(await new DirectorySink(folder).digestOf('a_2021.tif')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not join the halves of two contents, as of a retried job', async () => {
    await interrupted(1_000_000);
    content = randomBytes(2_000_000);
    etag = '"other-2"';
    await download();
    expect(ranges).toEqual([undefined, undefined]);
    expect(visible()).toEqual(['a_2021.tif']);
    expect(isWhole()).toBe(true);
  });

  it('restarts a part of before the last boot, whose bytes may never have reached the disk', async () => {
    await interrupted(1_000_000);
    const part = join(folder, `a_2021.tif.${ETAG.slice(1, -1)}.part`);
    writeFileSync(part, Buffer.alloc(1_000_000));
    const beforeBoot = Date.now() / 1000 - uptime() - 60;
    utimesSync(part, beforeBoot, beforeBoot);
    await download();
    expect(ranges).toEqual([undefined, undefined]);
    expect(isWhole()).toBe(true);
  });

  it('is restarted by a bucket without ranges', async () => {
    withRanges = false;
    await batch(1_000_000, { attempts: 2 }).download(new DirectorySink(folder));
    expect(ranges).toEqual([undefined, 'bytes=1000000-']);
    expect(isWhole()).toBe(true);
  });

  it('restarts a part that is longer than the file', async () => {
    writeFileSync(join(folder, `a_2021.tif.${ETAG.slice(1, -1)}.part`), randomBytes(3_000_001));
    await download();
    expect(isWhole()).toBe(true);
  });

  it('never writes more than the file has', async () => {
    const larger = batch();
    content = Buffer.concat([CONTENT, CONTENT]);
    await expect(larger.download(new DirectorySink(folder))).rejects.toThrow(
      /more than the 3000000/,
    );
    expect(visible()).toEqual([`a_2021.tif.${ETAG.slice(1, -1)}.part`]);
  });

  it('keeps what is there when the download is aborted', async () => {
    const controller = new AbortController();
    const stopped = batch().download(new DirectorySink(folder), {
      signal: controller.signal,
      onProgress: ({ receivedBytes }) => {
        if (receivedBytes > 500_000) controller.abort(new Error('enough'));
      },
    });
    await expect(stopped).rejects.toThrow('enough');
    await download();
    expect(ranges[1]).toMatch(/^bytes=[1-9]\d+-$/);
    expect(isWhole()).toBe(true);
  });

  it.each(['../a.tif', 'b/a.tif', '..', '', 'a\\b.tif'])('refuses the name %j', async (name) => {
    const sink = new DirectorySink(folder);
    const refusal = { type: 'invalid-input' };
    await expect(sink.open({ name, bytes: 1, etag } as ResultFile)).rejects.toMatchObject(refusal);
    await expect(sink.remove(name)).rejects.toMatchObject(refusal);
  });

  it('passes on that the folder is none', async () => {
    writeFileSync(join(folder, 'file'), '');
    const sink = new DirectorySink(join(folder, 'file'));
    await expect(batch().download(sink)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});
