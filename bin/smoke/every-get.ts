import type { SoilClient } from 'soil-batch-client';
import { messageOf } from '#engine/errors/message-of.ts';
import { OPERATIONS } from '../../lambdas/api/operations.ts';
import { require } from './check.ts';

interface Called {
  readonly client: SoilClient;
  readonly version: 'v1' | 'v2';
  readonly baseUrl: string;
  /** A finished batch, and one of its jobs with a result. */
  readonly batchId: string;
  readonly jobId: string;
}

export const GETS: Readonly<Record<string, (called: Called) => Promise<unknown>>> = {
  listBatches: async ({ client, batchId }) => {
    const { batches } = await client.listBatches();
    const isListed = batches.some(({ batch_id }) => batch_id === batchId);
    require(isListed, `batch ${batchId} is missing from the list`);
  },
  // The client does not call this alias of `getBatchStatus`.
  getBatch: ({ baseUrl, batchId }) => fetchPage(`${baseUrl}/v1/batch/${batchId}`, 401),
  getBatchStatus: ({ client, batchId }) => client.batch(batchId).status({ jobs: 'all' }),
  getBatchResults: async ({ client, batchId, jobId }) => {
    for (const format of ['geojson', 'stac', 'csv'] as const) {
      let text = '';
      for await (const page of client.batch(batchId).results({ format })) text += page.text;
      require(text.includes(jobId), `job ${jobId} is missing from the ${format}`);
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
    require(deployment === version, `the URL serves ${deployment}, not ${version}`);
  },
  getOpenApi: ({ client }) => client.openApi(),
  getDocs: ({ client }) => client.docs(),
  getProblemPage: ({ client }) => client.problemPage('validation'),
  getRoot: ({ baseUrl }) => fetchPage(`${baseUrl}/`, 302),
  getConsole: ({ baseUrl }) => fetchPage(`${baseUrl}/console`),
  getConsoleAsset: async ({ baseUrl }) => {
    const [, asset] =
      /src="\.\/(console\/[\w.-]+\.js)"/.exec(await fetchPage(`${baseUrl}/console`)) ?? [];
    require(asset !== undefined, 'the console page does not link to a script');
    await fetchPage(`${baseUrl}/${asset}`);
  },
};

/** Sends a GET without a key, which the client never does. */
async function fetchPage(url: string, status = 200): Promise<string> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(35_000) });
  require(response.status === status, `HTTP ${response.status}`);
  return response.text();
}

export async function callEveryGet(
  version: 'v1' | 'v2',
  client: SoilClient,
  baseUrl: string,
  ids: Pick<Called, 'batchId' | 'jobId'>,
): Promise<string> {
  const failed: string[] = [];
  const gets = listGets(version);
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

export function listGets(version: 'v1' | 'v2'): readonly string[] {
  return OPERATIONS.filter(
    ({ method, deployments }) => method === 'GET' && deployments.includes(version),
  ).map(({ operationId }) => operationId);
}
