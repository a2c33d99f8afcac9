import { type Fetch, SoilClient } from 'soil-batch-client';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../lambdas/api/definitions/operations.ts';

const BATCH = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const JOB = '678d0503-0e1c-5adc-a77f-3a0c44dd21c0';
const BODY = { jobs: [] };

it('each operation of the API has a method that requests it', async () => {
  const requested: string[] = [];
  const recording: Fetch = async (url, { method = 'GET' }) => {
    requested.push(`${method} ${new URL(url).pathname}`);
    return Response.json({}, { status: 418 });
  };
  const client = new SoilClient({
    baseUrl: 'https://v2.soil.example',
    apiKey: 'key',
    fetch: recording,
  });
  const batch = client.batch(BATCH);
  await Promise.allSettled([
    client.createBatch(BODY),
    client.listBatches(),
    client.estimate(BODY),
    batch.status(),
    batch.cancel(),
    batch.retry(),
    batch.job(JOB),
    batch.resultUrl(JOB),
    batch.preview(JOB),
    batch.item(JOB),
    batch.patchBatch(JOB, 0),
    batch.results().next(),
    batch.deliveries(),
    batch.redeliver(),
    client.testWebhook({ webhook_url: 'https://receiver.example' }),
    client.usage(),
    client.limits(),
    client.models(),
    client.modelStyle('meuse-soc'),
    client.health(),
    client.openApi(),
    client.docs(),
    client.problemPage('throttled'),
  ]);
  // The console is a page for browsers, and the root leads there and to the reference.
  const operations = OPERATIONS.filter(
    ({ name, handler }) => handler !== 'console' && name !== 'root',
  );
  expect(requested.sort()).toEqual(operations.map(requestOf).sort());
});

function requestOf({ method, path }: { readonly method: string; readonly path: string }): string {
  const values: Readonly<Record<string, string>> = {
    batch_id: BATCH,
    job_id: JOB,
    patch_batch_idx: '0',
    model: 'meuse-soc',
    slug: 'throttled',
  };
  return `${method} ${path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)}`;
}
