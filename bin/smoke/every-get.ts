import type { SoilClient } from 'soil-batch-client';
import { messageOf } from '#engine/errors/message-of.ts';
import { OPERATIONS } from '../../lambdas/api/endpoints.ts';
import { require } from './check.ts';

interface Called {
  readonly client: SoilClient;
  readonly version: 'v1' | 'v2';
  readonly baseUrl: string;
  /** A finished batch, and a job of it with a result. */
  readonly batchId: string;
  readonly jobId: string;
}

/** A call of each GET, by its operation; the client throws unless the response is that of the service. */
export const GETS: Readonly<Record<string, (called: Called) => Promise<unknown>>> = {
  listBatches: async ({ client, batchId }) => {
    const { batches } = await client.listBatches();
    const isListed = batches.some(({ batch_id }) => batch_id === batchId);
    require(isListed, `batch ${batchId} is not in the list`);
  },
  // The client reads the same at the path of the status.
  getBatch: ({ baseUrl, batchId }) => page(`${baseUrl}/v1/batch/${batchId}`, 401),
  getBatchStatus: ({ client, batchId }) => client.batch(batchId).status({ jobs: 'all' }),
  getBatchResults: async ({ client, batchId, jobId }) => {
    for (const format of ['geojson', 'stac', 'csv'] as const) {
      let text = '';
      for await (const page of client.batch(batchId).results({ format })) text += page.text;
      require(text.includes(jobId), `job ${jobId} is not in the ${format}`);
    }
  },
  getBatchTotal: ({ client, batchId }) => client.batch(batchId).total(),
  getJobStatus: ({ client, batchId, jobId }) => client.batch(batchId).job(jobId),
  getResult: ({ client, batchId, jobId }) => client.batch(batchId).resultUrl(jobId),
  getResultPreview: ({ client, batchId, jobId }) => client.batch(batchId).preview(jobId),
  getResultItem: ({ client, batchId, jobId }) => client.batch(batchId).item(jobId),
  getPatchBatchStatus: ({ client, batchId, jobId }) => client.batch(batchId).patchBatch(jobId, 0),
  getDeliveries: ({ client, batchId }) => client.batch(batchId).deliveries(),
  getUsage: ({ client }) => client.usage(),
  getLimits: ({ client }) => client.limits(),
  getModels: ({ client }) => client.models(),
  getModelStyle: async ({ client }) => {
    const { models } = await client.models();
    for (const { id } of models) await client.modelStyle(id);
  },
  getHealth: async ({ client, version }) => {
    const { deployment } = await client.health();
    require(deployment === version, `the URL belongs to ${deployment}`);
  },
  getOpenApi: ({ client }) => client.openApi(),
  getDocs: ({ client }) => client.docs(),
  getProblemPage: ({ client }) => client.problemPage('validation'),
  getRoot: ({ baseUrl }) => page(`${baseUrl}/`, 302),
  getConsole: ({ baseUrl }) => page(`${baseUrl}/console`),
  getConsoleAsset: async ({ baseUrl }) => {
    const [, asset] =
      /src="\.\/(console\/[\w.-]+\.js)"/.exec(await page(`${baseUrl}/console`)) ?? [];
    require(asset !== undefined, 'the page of the console names no script');
    await page(`${baseUrl}/${asset}`);
  },
};

/** A GET without a key, which the client does not send. */
async function page(url: string, status = 200): Promise<string> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(35_000) });
  require(response.status === status, `HTTP ${response.status}`);
  return response.text();
}

/** Calls every GET of a deployment, V1 or V2. */
export async function everyGet(
  version: 'v1' | 'v2',
  client: SoilClient,
  baseUrl: string,
  ids: Pick<Called, 'batchId' | 'jobId'>,
): Promise<string> {
  const failed: string[] = [];
  const gets = getsOf(version);
  for (const id of gets) {
    try {
      await GETS[id]?.({ client, version, baseUrl, ...ids });
    } catch (error) {
      failed.push(`${id}: ${messageOf(error)}`);
    }
  }
  require(failed.length === 0, failed.join('; '));
  return `${gets.length} operations responded as specified`;
}

/** The operations of a deployment that are a GET. */
export function getsOf(version: 'v1' | 'v2'): readonly string[] {
  return OPERATIONS.filter(
    ({ method, deployments }) => method === 'GET' && deployments.includes(version),
  ).map(({ operationId }) => operationId);
}
