import { type BatchState, SoilClient } from 'soil-batch-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { statusWith } from '../../support/client/responses.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const BATCH = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const KEY = 'soc_0123456789abcdefghij';

function makeClient(...responses: readonly (() => Response)[]) {
  const { fetch, exchanges } = scriptedFetch(...responses);
  const baseUrl = 'https://v2.soil.example';
  const client = new SoilClient({ baseUrl, apiKey: KEY, fetch, retries: { attempts: 1 } });
  return { client, exchanges };
}

/** A body that never ends; `sent` counts its bytes. */
function makeEndless(status: number) {
  const chunk = new TextEncoder().encode('<'.repeat(1_000_000));
  const body = { sent: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      body.sent += chunk.length;
      // Stops the test if the client reads everything.
      if (body.sent > 200_000_000) controller.close();
      else controller.enqueue(chunk);
    },
    cancel() {
      body.cancelled = true;
    },
  });
  return { body, response: () => new Response(stream, { status }) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a hostile server', () => {
  it.each([200, 500])('cannot fill the memory with an endless body of HTTP %i', async (status) => {
    const { body, response } = makeEndless(status);
    const { client } = makeClient(response);
    await expect(client.usage()).rejects.toMatchObject({ type: 'not-the-service', status });
    expect(body.cancelled).toBe(true);
  });

  it.each([
    ['a page', (text: string) => new Response(`<p>${text}</p>`, { status: 502 })],
    ['a problem', (text: string) => Response.json({ title: 'Bad', detail: text }, { status: 400 })],
  ])(
    'cannot make the key appear in a message by repeating the request in %s',
    async (_, responseOf) => {
      const { client } = makeClient(() => responseOf(`Authorization: Bearer ${KEY}`));
      const error = await client.usage().catch((reason: unknown) => reason);
      expect(String(error)).toContain('Bearer [key]');
      expect(JSON.stringify(error)).not.toContain(KEY);
    },
  );

  it.each([
    ['0', 1],
    ['99999999999', 300],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 300],
  ])('with Retry-After %s is polled after %i s', async (value, seconds) => {
    vi.useFakeTimers();
    const status = (state: BatchState) => () =>
      Response.json(statusWith({ status: state }), { headers: { 'Retry-After': value } });
    const { client, exchanges } = makeClient(status('processing'), status('completed'));
    const finished = client.batch(BATCH).waitFor();
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(exchanges).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(exchanges).toHaveLength(2);
    await expect(finished).resolves.toMatchObject({ status: 'completed' });
  });

  it('cannot keep a client reading a list forever with two alternating pages', async () => {
    const page = (cursor: string) => () =>
      Response.json({ batches: [], has_more: true, next_cursor: cursor });
    const { client, exchanges } = makeClient(page('a'), page('b'), page('a'), page('b'));
    const list = async () => {
      for await (const batch of client.batches()) expect(batch).toBeDefined();
    };
    await expect(list()).rejects.toMatchObject({ type: 'not-the-service' });
    expect(exchanges).toHaveLength(3);
  });

  it('cannot keep a client reading a list forever with new pages', async () => {
    let pages = 0;
    const client = new SoilClient({
      baseUrl: 'https://v2.soil.example',
      apiKey: KEY,
      fetch: async () => {
        pages += 1;
        // Stops the test if the client reads everything.
        const next_cursor = pages > 20_000 ? null : String(pages);
        return Response.json({ batches: [], has_more: true, next_cursor });
      },
    });
    const list = async () => {
      for await (const batch of client.batches()) expect(batch).toBeDefined();
    };
    await expect(list()).rejects.toMatchObject({ type: 'not-the-service' });
    expect(pages).toBe(10_000);
  });
});
