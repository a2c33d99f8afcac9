import { SoilClient } from 'soil-batch-client';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

it('the client gives up after the timeout if a response arrives byte by byte', async () => {
  vi.useFakeTimers();
  const dripping = new ReadableStream({
    start: (controller) => void setInterval(() => controller.enqueue(new Uint8Array(1)), 500),
  });
  const client = new SoilClient({
    ...{ baseUrl: 'https://v2.soil.example', apiKey: 'key' },
    ...{ retries: { attempts: 1 }, fetch: async () => new Response(dripping) },
  });
  const outcome = client.usage().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await outcome).toMatchObject({ type: 'network' });
});
