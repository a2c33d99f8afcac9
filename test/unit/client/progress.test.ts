import { type BatchState, type Job, SoilClient } from 'soil-batch-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobWith, STATUS, statusWith } from '../../support/client/responses.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const BATCH = STATUS.batch_id;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function status(state: BatchState, etag: string, retryAfter?: number): () => Response {
  const headers = {
    ETag: etag,
    ...(retryAfter === undefined ? {} : { 'Retry-After': `${retryAfter}` }),
  };
  return () => Response.json(statusWith({ status: state }), { headers });
}

const makeUnchanged = () => new Response(null, { status: 304, headers: { 'Retry-After': '5' } });

function makeBatch(...responses: readonly (() => Response)[]) {
  const { fetch, exchanges } = scriptedFetch(...responses);
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example/', apiKey: 'key', fetch });
  return { batch: client.batch(BATCH), exchanges };
}

describe('progress', () => {
  it('polls at the times of Retry-After, yields only changes, and ends with the final state', async () => {
    const { batch, exchanges } = makeBatch(
      status('pending', '"a"', 5),
      makeUnchanged,
      status('processing', '"b"', 7),
      status('partial', '"c"'),
    );
    const states: string[] = [];
    const times: number[] = [];
    const start = Date.now();
    const reading = (async () => {
      for await (const { status } of batch.progress()) {
        states.push(status);
        times.push((Date.now() - start) / 1000);
      }
    })();
    await vi.runAllTimersAsync();
    await reading;
    expect(states).toEqual(['pending', 'processing', 'partial']);
    expect(times).toEqual([0, 10, 17]);
    expect(exchanges.map(({ headers }) => headers.get('If-None-Match'))).toEqual([
      null,
      '"a"',
      '"a"',
      '"b"',
    ]);
    expect(exchanges[0]?.url.href).toBe(
      `https://v2.soil.example/v1/batch/${BATCH}/status?jobs=none`,
    );
  });

  it('stops immediately when it is aborted', async () => {
    const { batch, exchanges } = makeBatch(status('pending', '"a"', 3_600));
    const controller = new AbortController();
    const waiting = batch.waitFor({ signal: controller.signal });
    const outcome = expect(waiting).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(new Error('enough'));
    await outcome;
    expect(exchanges).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('waitFor', () => {
  it('returns the final state', async () => {
    const { batch } = makeBatch(status('pending', '"a"', 5), status('failed', '"b"'));
    const waiting = batch.waitFor();
    await vi.runAllTimersAsync();
    expect(await waiting).toMatchObject({ status: 'failed' });
  });

  it('throws after the timeout', async () => {
    vi.useRealTimers();
    const { batch } = makeBatch(status('pending', '"a"', 3_600));
    await expect(batch.waitFor({ timeout: 20 })).rejects.toMatchObject({
      name: 'SoilError',
      type: 'timeout',
      message: `Batch ${BATCH} is not finished after 20 ms.`,
    });
  });
});

describe('jobs', () => {
  const job = (index: number, status: Job['status']) =>
    jobWith({ job_id: `${BATCH.slice(0, -1)}${index}`, job_index: index, status });
  const page = (jobs: readonly Job[], next: string | null) => () =>
    Response.json(statusWith({ jobs }, next));

  it('yields the jobs of all pages', async () => {
    const { batch, exchanges } = makeBatch(
      page([job(0, 'completed')], 'c1'),
      page([job(1, 'completed')], null),
    );
    const found: number[] = [];
    for await (const { job_index } of batch.jobs({ status: 'completed' })) found.push(job_index);
    expect(found).toEqual([0, 1]);
    expect(exchanges.map(({ url }) => url.search)).toEqual([
      '?jobs=completed&limit=100',
      '?jobs=completed&limit=100&cursor=c1',
    ]);
  });

  const at = (second: number) => `2026-03-01T12:00:${String(second).padStart(2, '0')}.000Z`;
  const polled = (
    status: BatchState,
    second: number,
    [completed_jobs, failed_jobs]: readonly [number, number],
    jobs: readonly Job[],
  ) => {
    const body = { status, updated_at: at(second), completed_jobs, failed_jobs, jobs };
    return () => Response.json(statusWith(body), { headers: { 'Retry-After': '5' } });
  };
  const searchesOf = (exchanges: ReturnType<typeof makeBatch>['exchanges']) =>
    exchanges.map(({ url }) => url.searchParams.get('updated_since'));
  async function followBatch(batch: ReturnType<typeof makeBatch>['batch']) {
    const found: string[] = [];
    const reading = (async () => {
      for await (const one of batch.jobs({ follow: true }))
        found.push(`${one.job_index} ${one.status}`);
    })();
    await vi.runAllTimersAsync();
    await reading;
    return found;
  }

  it('with `follow` yields each job once, when it is final, and reads only changed jobs', async () => {
    const { batch, exchanges } = makeBatch(
      polled('processing', 10, [0, 0], [job(0, 'processing'), job(1, 'pending')]),
      polled('processing', 15, [1, 0], [job(1, 'completed')]),
      polled('partial', 20, [1, 1], [job(0, 'failed'), job(1, 'completed')]),
    );
    expect(await followBatch(batch)).toEqual(['1 completed', '0 failed']);
    expect(searchesOf(exchanges)).toEqual([null, at(8), at(13)]);
  });

  it('with `follow` asks only for later changes after a poll without news', async () => {
    const all = [job(0, 'pending'), job(1, 'pending')];
    const { batch, exchanges } = makeBatch(
      polled('pending', 10, [0, 0], all),
      polled('pending', 10, [0, 0], all),
      polled('pending', 10, [0, 0], []),
      polled('completed', 25, [2, 0], [job(0, 'completed'), job(1, 'completed')]),
    );
    expect(await followBatch(batch)).toEqual(['0 completed', '1 completed']);
    const next = '2026-03-01T12:00:10.001Z';
    expect(searchesOf(exchanges)).toEqual([null, at(8), next, next]);
  });

  it('with `follow` reads all jobs again when the counts show that a job was missed', async () => {
    const { batch, exchanges } = makeBatch(
      polled('processing', 10, [0, 0], [job(0, 'processing'), job(1, 'processing')]),
      polled('partial', 15, [1, 1], [job(1, 'completed')]),
      polled('partial', 15, [1, 1], [job(0, 'failed'), job(1, 'completed')]),
    );
    expect(await followBatch(batch)).toEqual(['0 failed', '1 completed']);
    expect(searchesOf(exchanges)).toEqual([null, at(8), null]);
  });

  it('fails instead of reading the same page forever', async () => {
    const { batch } = makeBatch(page([], 'c1'), page([], 'c1'));
    await expect(batch.jobs().next()).rejects.toMatchObject({ type: 'not-the-service' });
  });
});

it('an ID cannot lead to another path', async () => {
  const { batch, exchanges } = makeBatch();
  const client = new SoilClient({
    baseUrl: 'https://v2.soil.example',
    apiKey: 'key',
    fetch: async (url, init) => {
      exchanges.push({ url: new URL(url), init, headers: new Headers() });
      return Response.json({}, { status: 404 });
    },
  });
  expect(batch.id).toBe(BATCH);
  for (const id of ['..', '../../usage', '%2e%2e', '?jobs=all#']) {
    await client
      .batch(id)
      .status()
      .catch(() => {});
  }
  for (const { url } of exchanges) expect(url.pathname).toMatch(/^\/v1\/batch\/[^/]+\/status$/);
  expect(exchanges).toHaveLength(4);
});
