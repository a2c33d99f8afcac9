import { type NewBatch, SoilClient, SoilError, verifyWebhook } from 'soil-batch-client';

/** The service that a scenario calls, as plain JSON because one runtime is a browser. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly attempts?: number;
}

/**
 * The scenarios run in Node and in a page, so they use neither a test library nor Node's modules.
 * Each returns JSON.
 */
export const scenarios = {
  async create(service: Service, body: NewBatch, name: string) {
    const client = connectClient(service);
    const { batch_id } = await client.createBatch({ ...body, name }, { idempotencyKey: name });
    const listed: string[] = [];
    for await (const found of client.batches({ name })) listed.push(found.batch_id);
    return { created: batch_id, listed };
  },

  async download(service: Service, batchId: string) {
    const batch = connectClient(service).batch(batchId);
    const { status } = await batch.waitFor();
    const jobs: (string | null)[] = [];
    const rasters: Record<string, string> = {};
    for await (const job of batch.jobs()) {
      jobs.push(job.name);
      if (job.result !== null) rasters[job.job_id] = await computeDigest(batch.download(job));
    }
    const rows: (string | null)[] = [];
    for await (const { name } of batch.rows()) rows.push(name);
    let table = '';
    for await (const { text, finished } of batch.results({ format: 'csv' })) {
      table += finished ? text : '';
    }
    return { status, jobs, rows, lines: table.trim().split('\n').length, rasters };
  },

  async usage(service: Service) {
    return (await connectClient(service).usage()).jobs.limit;
  },

  /** Aborts while the client waits to repeat a throttled request. */
  async abort(service: Service) {
    const controller = new AbortController();
    const { signal } = controller;
    const client = connectClient(service, () => controller.abort());
    return client.usage({ signal }).then(
      () => 'not aborted',
      (error: unknown) => (error instanceof DOMException ? error.name : String(error)),
    );
  },

  async verify(body: string, headers: Record<string, string>, secret: string, now: number) {
    return (await verifyWebhook(body, headers, secret, { now })).batch_id;
  },
};

export type Scenarios = typeof scenarios;

export async function runScenario(name: keyof Scenarios, args: readonly unknown[]) {
  try {
    const scenario = scenarios[name] as (...args: readonly unknown[]) => Promise<unknown>;
    return { value: await scenario(...args) };
  } catch (error) {
    if (!(error instanceof SoilError)) return { error: { message: String(error) } };
    const { message, type, status, retryAfter, requestId, errors } = error;
    return { error: { message, type, status, retryAfter, requestId, errors } };
  }
}

function connectClient({ attempts = 6, ...service }: Service, onWait = () => {}): SoilClient {
  return new SoilClient({ ...service, onWait, retries: { attempts, firstWaitSeconds: 0.01 } });
}

async function computeDigest(stream: ReadableStream<Uint8Array>): Promise<string> {
  const bytes = await new Response(stream).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
