import { readFileSync } from 'node:fs';
import { type Batch, type Fetch, SoilClient } from 'soil-batch-client';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../lambdas/api/operations.ts';

const BATCH = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const JOB = '678d0503-0e1c-5adc-a77f-3a0c44dd21c0';

it('the client requests all operations except the console, the root and `batch`', async () => {
  const requested = new Set<string>();
  const recordRequest: Fetch = async (url, { method = 'GET' }) => {
    requested.add(`${method} ${new URL(url).pathname}`);
    return Response.json({}, { status: 418 });
  };
  const client = new SoilClient({
    baseUrl: 'https://v2.soil.example',
    apiKey: 'key',
    fetch: recordRequest,
  });
  for (const method of methodsOf(client)) await callMethod(client, method, BATCH);
  for (const method of methodsOf(client.batch(BATCH))) {
    await callMethod(client.batch(BATCH), method, JOB);
  }
  // The console and the root, which redirects to the reference, are for browsers; `batch` equals the batch status.
  const operations = OPERATIONS.filter(
    ({ name, path }) => !path.startsWith('/console') && name !== 'root' && name !== 'batch',
  );
  expect([...requested].sort()).toEqual(operations.map(requestOf).sort());
});

it('each method of the client is in client/README.md', () => {
  const readme = readFileSync('client/README.md', 'utf8');
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example', apiKey: 'key' });
  const methods = [client, client.batch(BATCH)].flatMap(methodsOf);
  const missing = methods.filter((name) => !new RegExp(`\`${name}[\`(]`).test(readme));
  expect(missing).toEqual(['constructor', 'constructor']);
});

function methodsOf(object: SoilClient | Batch): readonly string[] {
  return Reflect.ownKeys(Object.getPrototypeOf(object)).map(String);
}

async function callMethod(object: SoilClient | Batch, method: string, id: string): Promise<void> {
  if (method === 'constructor') return;
  try {
    const result: unknown = await Reflect.apply(Reflect.get(object, method), object, [id, 0]);
    if (isGenerator(result)) await result.next();
  } catch {
    // Every response is an error.
  }
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function requestOf({ method, path }: { readonly method: string; readonly path: string }): string {
  const values: Readonly<Record<string, string>> = {
    batch_id: BATCH,
    job_id: JOB,
    patch_batch_idx: '0',
  };
  return `${method} ${path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? BATCH)}`;
}
