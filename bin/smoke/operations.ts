import * as z from 'zod';
import { type ApiClient, operationsOf, read, readsOf } from './api-client.ts';
import { type BatchRequest, smallJob } from './batch-request.ts';
import { type BatchStatus, create, created, finished } from './batches.ts';
import { require } from './check.ts';

const health = z.looseObject({
  status: z.literal('ok'),
  version: z.string(),
  deployment: z.string(),
});
const models = z.looseObject({ models: z.array(z.looseObject({ id: z.string() })).min(1) });
const list = z.looseObject({ batches: z.array(z.looseObject({ batch_id: z.string() })) });
const table = z.looseObject({ features: z.array(z.looseObject({ id: z.string() })) });
const retried = z.looseObject({ batch_id: z.string(), retry_of: z.string() });
const patchBatch = z.looseObject({ patch_batch_idx: z.number(), status: z.literal('completed') });
const detail = z.looseObject({
  total_patch_batches: z.number().min(1),
  completed_patch_batches: z.number(),
  patch_batches: z.array(patchBatch).min(1),
  has_more: z.boolean(),
});

/** Calls the operations that need no batch. */
export async function operationsWithoutBatch(
  api: ApiClient,
  request: BatchRequest,
): Promise<string> {
  const { deployment, version } = read(health, await api.call('getHealth'));
  require(deployment === api.deployment, `the URL of ${api.deployment} belongs to ${deployment}`);
  await api.call('getRoot');
  await api.call('getOpenApi');
  await api.call('getDocs');
  if (api.deployment === 'v2') await consolePage(api);
  await api.call('getProblemPage', { path: { slug: 'validation' } });
  await api.call('getUsage');
  await api.call('getLimits');
  const { models: known } = read(models, await api.call('getModels'));
  for (const { id } of known) await api.call('getModelStyle', { path: { model: id } });
  await api.call('estimateBatch', { body: JSON.stringify({ jobs: [smallJob(request)] }) });
  return `version ${version}, ${known.length} model(s)`;
}

/** The console's page, and the script that it names. */
async function consolePage(api: ApiClient): Promise<void> {
  const { text } = await api.call('getConsole');
  const [, asset] = /src="\.\/console\/(app-\w+\.js)"/.exec(text) ?? [];
  require(asset !== undefined, 'the page of the console names no script');
  await api.call('getConsoleAsset', { path: { asset } });
}

/** Runs a batch to its end. Jobs may fail only for invalid input, and at least one has a result. */
export async function runBatch(api: ApiClient, request: object): Promise<BatchStatus> {
  const { batch_id, total_jobs } = await create(api, request);
  const { batches } = read(list, await api.call('listBatches'));
  require(batches.some(
    (batch) => batch.batch_id === batch_id,
  ), `batch ${batch_id} is not in the list`);
  const batch = await finished(api, batch_id);
  require(batch.total_tasks === total_jobs, `${batch.total_tasks} of ${total_jobs} jobs`);
  const results = batch.jobs.filter(({ signed_cog_url }) => signed_cog_url !== null);
  require(results.length > 0, `no job of batch ${batch_id} has a result: ${reasonsOf(batch)}`);
  const faults = batch.jobs.filter(({ error_code }) =>
    ['internal', 'deadline', 'covariate_unavailable'].includes(error_code ?? ''),
  );
  require(faults.length ===
    0, `jobs of batch ${batch_id} failed through a fault of the service: ${reasonsOf(batch)}`);
  return batch;
}

export function describeEnd({
  batch_id,
  status,
  completed_tasks,
  failed_tasks,
  ...batch
}: BatchStatus) {
  const reasons = reasonsOf({ ...batch, batch_id, status, completed_tasks, failed_tasks });
  const failed = failed_tasks === 0 ? '' : `, ${failed_tasks} failed as expected (${reasons})`;
  return `${batch_id} ${status}: ${completed_tasks} completed${failed}`;
}

function reasonsOf({ jobs }: BatchStatus): string {
  const reasons = jobs.flatMap(({ error_code, error_message }) =>
    error_code === null ? [] : [`${error_code}: ${error_message}`],
  );
  return [...new Set(reasons)].join('; ').slice(0, 200);
}

/** Reads the patch-batches of a job: on V2 as a page and one by one; V1 returns 404 and names V2. */
export async function progress(api: ApiClient, batch: BatchStatus): Promise<string> {
  const completed = batch.jobs.find(({ signed_cog_url }) => signed_cog_url !== null);
  const path = { batch_id: batch.batch_id, job_id: completed?.job_id ?? '' };
  const one = { path: { ...path, patch_batch_idx: '0' } };
  if (api.deployment === 'v1') {
    for (const response of [
      await api.send('getJobStatus', { path }),
      await api.send('getPatchBatchStatus', one),
    ]) {
      require(response.status ===
        404, `V1 returns ${response.status}, not 404, for an operation of V2`);
      require(/V2/.test(response.text), 'the 404 of V1 does not name V2');
    }
    return 'V1 returns 404 and names V2';
  }
  const seen = read(detail, await api.call('getJobStatus', { path, query: { limit: '1' } }));
  require(seen.completed_patch_batches ===
    seen.total_patch_batches, `${seen.completed_patch_batches} of ${seen.total_patch_batches} patch-batches of a completed job`);
  read(patchBatch, await api.call('getPatchBatchStatus', one));
  return `${seen.total_patch_batches} patch-batches`;
}

/** A picture of a result. */
export async function preview(api: ApiClient, { batch_id, jobs }: BatchStatus): Promise<string> {
  const completed = jobs.find(({ signed_cog_url }) => signed_cog_url !== null);
  const path = { batch_id, job_id: completed?.job_id ?? '' };
  const { headers, text } = await api.call('getResultPreview', { path });
  const type = headers.get('content-type');
  require(type === 'image/svg+xml', `the preview is ${type}, not image/svg+xml`);
  require(text.includes('<svg'), 'the preview has no <svg>');
  return `${text.length} characters of SVG`;
}

/** The STAC Item of a result, and the signed URL that its link redirects to. */
export async function item(api: ApiClient, { batch_id, jobs }: BatchStatus): Promise<string> {
  const completed = jobs.find(({ signed_cog_url }) => signed_cog_url !== null);
  const path = { batch_id, job_id: completed?.job_id ?? '' };
  const described = Object(JSON.parse((await api.call('getResultItem', { path })).text));
  require(described.id === path.job_id, `the item is of ${described.id}, not of ${path.job_id}`);
  const { headers } = await api.call('getResult', { path });
  const raster = await fetch(String(headers.get('location')), { headers: { range: 'bytes=0-3' } });
  require(raster.status === 206, `the link leads to a response with ${raster.status}`);
  return 'the link to the raster leads to it';
}

/** The table of a batch in each format; a small batch has one page. */
export async function results(api: ApiClient, { batch_id, jobs }: BatchStatus): Promise<string> {
  for (const format of ['geojson', 'stac']) {
    const response = await api.call('getBatchResults', { path: { batch_id }, query: { format } });
    const { features } = read(table, response);
    require(features.length ===
      jobs.length, `${features.length} of ${jobs.length} jobs in ${format}`);
  }
  const { text } = await api.call('getBatchResults', {
    path: { batch_id },
    query: { format: 'csv' },
  });
  for (const { job_id } of jobs) require(text.includes(job_id), `${job_id} is not in the CSV file`);
  return `${jobs.length} rows in each format`;
}

/** API Gateway matches `/v1/batch/` to the route of `/v1/batch`. */
export async function creationWithSlash(api: ApiClient, request: BatchRequest): Promise<string> {
  const body = JSON.stringify({ jobs: [smallJob(request)] });
  const { batch_id } = read(created, await api.call('createBatch', { body, slash: true }));
  await finished(api, batch_id);
  return `POST /v1/batch/ created ${batch_id}`;
}

/** Cancels a new batch, then retries it; the retry must complete. */
export async function cancelAndRetry(api: ApiClient, request: BatchRequest): Promise<string> {
  const jobs = Array.from({ length: 4 }, () => smallJob(request));
  const path = { batch_id: (await create(api, { jobs })).batch_id };
  await api.call('cancelBatch', { path });
  const cancelled = await finished(api, path.batch_id);
  const codes = new Set(cancelled.jobs.flatMap(({ error_code }) => error_code ?? []));
  require(codes.size === 1 &&
    codes.has('cancelled'), `its jobs failed with ${[...codes].join(', ')}, not cancelled`);
  const retry = read(retried, await api.call('retryBatch', { path }));
  require(retry.retry_of === path.batch_id, `retry_of is ${retry.retry_of}, not ${path.batch_id}`);
  const retryStatus = await finished(api, retry.batch_id);
  require(retryStatus.status === 'completed', `the retry is ${retryStatus.status}`);
  return `${cancelled.failed_tasks} jobs cancelled, then completed by retry ${retry.batch_id}`;
}

/** Checks that the checks before it have called every operation of the deployment. */
export async function allOperations(api: ApiClient, { batch_id }: BatchStatus): Promise<string> {
  for (const id of readsOf(api.deployment, ['batch_id'])) {
    if (!api.succeeded.has(id)) await api.call(id, { path: { batch_id } });
  }
  const missing = operationsOf(api.deployment).filter((id) => !api.succeeded.has(id));
  require(missing.length === 0, `no response with the specified status: ${missing.join(', ')}`);
  return `${operationsOf(api.deployment).length} operations responded as specified`;
}
