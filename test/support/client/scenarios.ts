import {
  type FeatureCollection,
  MemorySink,
  SoilClient,
  SoilError,
  verifyWebhook,
} from 'soil-batch-client';

/** What a test passes to a runtime; as JSON, because one runtime is a browser. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly attempts?: number;
}

/** Runs alike in Node and in a page: no test library, no Node. Each scenario returns JSON. */
export const scenarios = {
  async submit(service: Service, fields: FeatureCollection, runId: string) {
    const client = connected(service);
    const submission = await client.submit(fields, {
      year: 2024,
      nameField: 'id',
      runId,
      batch: { name: runId },
    });
    const listed: string[] = [];
    for await (const { batch_id } of client.batches({ name: runId })) listed.push(batch_id);
    return { submitted: submission.batches.map(({ batch }) => batch.id), listed };
  },

  async download(service: Service, batchId: string) {
    const batch = connected(service).batch(batchId);
    const { status } = await batch.waitFor({ timeout: 60_000 });
    const jobs: (string | null)[] = [];
    for await (const { name } of batch.jobs()) jobs.push(name);
    const rows: (string | null)[] = [];
    for await (const { name } of batch.rows()) rows.push(name);
    let table = '';
    for await (const { text, finished } of batch.results({ format: 'csv' })) {
      table += finished ? text : '';
    }
    const sink = new MemorySink();
    const results = await batch.download(sink, { concurrency: 2 });
    const again = await batch.download(sink);
    return {
      status,
      jobs,
      rows,
      lines: table.trim().split('\n').length,
      files: await hashesOf(sink.files()),
      skipped: [results, again].map((list) => list.filter(({ skipped }) => skipped).length),
    };
  },

  async usage(service: Service) {
    return (await connected(service).usage()).jobs.limit;
  },

  /** Aborts while the client waits for a throttled request. */
  async abort(service: Service) {
    const controller = new AbortController();
    const { signal } = controller;
    const client = connected(service, () => controller.abort());
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

/** What a scenario returned, or the error that it threw. */
export async function outcomeOf(name: keyof Scenarios, args: readonly unknown[]) {
  try {
    const scenario = scenarios[name] as (...args: readonly unknown[]) => Promise<unknown>;
    return { value: await scenario(...args) };
  } catch (error) {
    if (!(error instanceof SoilError)) return { error: { message: String(error) } };
    const { message, type, status, retryAfter, requestId, errors } = error;
    return { error: { message, type, status, retryAfter, requestId, errors } };
  }
}

function connected({ attempts = 6, ...service }: Service, onWait = () => {}): SoilClient {
  return new SoilClient({ ...service, onWait, retries: { attempts, firstWaitSeconds: 0.01 } });
}

async function hashesOf(files: ReadonlyMap<string, Uint8Array>): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const [name, bytes] of files) {
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
    hashes[name] = Array.from(new Uint8Array(digest), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('');
  }
  return hashes;
}
