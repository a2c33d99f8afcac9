import { type Fetch, type Job, MemorySink, SoilClient } from 'soil-batch-client';
import { expect, it } from 'vitest';

const ETAG = '"1"';
const RESULT = 'https://results.soil.example/r.tif?X-Amz-Signature=secret';
const JOB = {
  ...{ job_id: 'j', job_index: 0, name: 'a', year: 2021, status: 'completed' },
  ...{ signed_cog_url: RESULT, result: { bytes: 10, etag: ETAG, media_type: 'image/tiff' } },
};

/** A batch of one job, whose result comes from this bucket. */
function downloaded(bucket: (range: string | null) => Response, job: object = JOB) {
  let requests = 0;
  const fetch: Fetch = async (url, init) => {
    if (!url.startsWith('https://results')) {
      const result = { status: 302, headers: { Location: RESULT } };
      if (url.endsWith('/result')) return new Response(null, result);
      return Response.json({ batch_id: 'b', jobs: [job], has_more: false });
    }
    requests += 1;
    if (requests > 50) throw new Error('requests without end');
    return bucket(new Headers(init.headers).get('Range'));
  };
  const options = { baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch };
  const client = new SoilClient({ ...options, retries: { attempts: 4, firstWaitSeconds: 0 } });
  const outcome = client.batch('b').download(new MemorySink());
  return { outcome, requests: () => requests };
}

const bytes = (count: number, init: ResponseInit) =>
  new Response(new Uint8Array(count), { ...init, headers: { ETag: ETAG, ...init.headers } });

it('gives up on a bucket that cuts each connection and has no ranges', async () => {
  const { outcome, requests } = downloaded((range) =>
    range === null
      ? bytes(6, { status: 200 })
      : bytes(4, { status: 206, headers: { 'Content-Range': 'bytes 0-3/10' } }),
  );
  await expect(outcome).rejects.toMatchObject({ type: 'download' });
  expect(requests()).toBeLessThan(10);
});

it('downloads from a bucket without ranges if one connection lasts', async () => {
  let connections = 0;
  const { outcome } = downloaded(() => {
    connections += 1;
    return bytes(connections < 3 ? 6 : 10, { status: 200 });
  });
  expect(await outcome).toMatchObject([{ skipped: false, file: { bytes: 10 } }]);
});

it('continues as long as each connection brings some bytes', async () => {
  const { outcome, requests } = downloaded((range) => {
    const from = Number(/\d+/.exec(range ?? '0'));
    const headers = { 'Content-Range': `bytes ${from}-9/10` };
    return from === 0 ? bytes(1, { status: 200 }) : bytes(1, { status: 206, headers });
  });
  expect(await outcome).toHaveLength(1);
  expect(requests()).toBe(10);
});

it('an error does not name the signed URL', async () => {
  const { outcome } = downloaded(() => new Response(null, { status: 404 }));
  const error: unknown = await outcome.catch((reason: unknown) => reason);
  expect(String(error)).toBe('SoilError: a_2021.tif (job j) can not be downloaded: HTTP 404.');
  expect(JSON.stringify(error)).not.toContain('secret');
});

it('refuses a job that has no result', async () => {
  const job = { ...JOB, status: 'failed', signed_cog_url: null, result: null };
  const { outcome, requests } = downloaded(() => bytes(10, { status: 200 }), job);
  await expect(outcome).rejects.toMatchObject({ type: 'invalid-input' });
  expect(requests()).toBe(0);
});

it('reports each file as soon as it is whole', async () => {
  const jobs = ['a', 'b'].map((name) => ({ ...JOB, job_id: name, name })) as unknown as Job[];
  const whole: string[] = [];
  let first: () => void = () => {};
  const reported = new Promise<void>((resolve) => {
    first = resolve;
  });
  let requests = 0;
  const fetch: Fetch = async () => {
    requests += 1;
    // The bucket holds the second file back until the first one is reported.
    if (requests > 1) await reported;
    return bytes(10, { status: 200 });
  };
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch });
  await client.batch('b').download(new MemorySink(), {
    jobs,
    onFile({ file }) {
      whole.push(file.name);
      first();
    },
  });
  expect(whole).toEqual(['a_2021.tif', 'b_2021.tif']);
});
