import * as z from 'zod';
import { type ApiClient, operationsOf, read } from './api-client.ts';
import { type BatchStatus, create, finished } from './batches.ts';
import { require } from './check.ts';
import { type Order, smallJob } from './order.ts';

const health = z.looseObject({
  status: z.literal('ok'),
  version: z.string(),
  deployment: z.string(),
});
const models = z.looseObject({ models: z.array(z.looseObject({})).min(1) });
const list = z.looseObject({ batches: z.array(z.looseObject({ batch_id: z.string() })) });
const retried = z.looseObject({ batch_id: z.string(), retry_of: z.string() });
const patchBatch = z.looseObject({ patch_batch_idx: z.number(), status: z.literal('completed') });
const detail = z.looseObject({
  total_patch_batches: z.number().min(1),
  completed_patch_batches: z.number(),
  patch_batches: z.array(patchBatch).min(1),
  has_more: z.boolean(),
});

/** What needs no batch. */
export async function withoutBatch(api: ApiClient, order: Order): Promise<string> {
  const { deployment, version } = read(health, await api.call('getHealth'));
  require(deployment === api.deployment, `the address of ${api.deployment} is ${deployment}`);
  await api.call('getOpenApi');
  await api.call('getDocs');
  await api.call('getProblemPage', { path: { slug: 'validation' } });
  await api.call('getUsage');
  await api.call('getLimits');
  const { models: known } = read(models, await api.call('getModels'));
  await api.call('estimateBatch', { body: JSON.stringify({ jobs: [smallJob(order)] }) });
  return `version ${version}, ${known.length} model(s)`;
}

/** A batch from its creation to its end: every job has a result, or a reason of the client's. */
export async function wholeBatch(api: ApiClient, order: object): Promise<BatchStatus> {
  const { batch_id, total_jobs } = await create(api, order);
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
    0, `jobs of batch ${batch_id} failed by our fault: ${reasonsOf(batch)}`);
  return batch;
}

export function told({ batch_id, status, completed_tasks, failed_tasks, ...batch }: BatchStatus) {
  const reasons = reasonsOf({ ...batch, batch_id, status, completed_tasks, failed_tasks });
  const failed = failed_tasks === 0 ? '' : `, ${failed_tasks} failed as they should (${reasons})`;
  return `${batch_id} ${status}: ${completed_tasks} completed${failed}`;
}

function reasonsOf({ jobs }: BatchStatus): string {
  const reasons = jobs.flatMap(({ error_code, error_message }) =>
    error_code === null ? [] : [`${error_code}: ${error_message}`],
  );
  return [...new Set(reasons)].join('; ').slice(0, 200);
}

/** Progress within a job: on V2 page by page and one by one; V1 says that V2 has it. */
export async function progress(api: ApiClient, batch: BatchStatus): Promise<string> {
  const done = batch.jobs.find(({ signed_cog_url }) => signed_cog_url !== null);
  const path = { batch_id: batch.batch_id, job_id: done?.job_id ?? '' };
  const one = { path: { ...path, patch_batch_idx: '0' } };
  if (api.deployment === 'v1') {
    for (const answer of [
      await api.ask('getJobStatus', { path }),
      await api.ask('getPatchBatchStatus', one),
    ]) {
      require(answer.status === 404, `V1 answers ${answer.status} to an operation of V2`);
      require(/V2/.test(answer.text), 'V1 does not say that the operation exists on V2');
    }
    return 'V1 answers 404 and names V2';
  }
  const seen = read(detail, await api.call('getJobStatus', { path, query: { limit: '1' } }));
  require(seen.completed_patch_batches ===
    seen.total_patch_batches, `${seen.completed_patch_batches} of ${seen.total_patch_batches} patch-batches of a completed job`);
  read(patchBatch, await api.call('getPatchBatchStatus', one));
  return `${seen.total_patch_batches} patch-batches`;
}

/** Cancels a batch as soon as it is made; its retry is a batch that completes. */
export async function cancelAndRetry(api: ApiClient, order: Order): Promise<string> {
  const jobs = Array.from({ length: 4 }, () => smallJob(order));
  const path = { batch_id: (await create(api, { jobs })).batch_id };
  await api.call('cancelBatch', { path });
  const cancelled = await finished(api, path.batch_id);
  const codes = new Set(cancelled.jobs.flatMap(({ error_code }) => error_code ?? []));
  require(codes.size === 1 && codes.has('cancelled'), `it failed by ${[...codes].join(', ')}`);
  const retry = read(retried, await api.call('retryBatch', { path }));
  require(retry.retry_of === path.batch_id, `the retry is one of ${retry.retry_of}`);
  const again = await finished(api, retry.batch_id);
  require(again.status === 'completed', `the retry is ${again.status}`);
  return `${cancelled.failed_tasks} jobs cancelled, and completed by ${retry.batch_id}`;
}

/** The whole tour has called every operation of the deployment. */
export function everyOperation(api: ApiClient): string {
  const missing = operationsOf(api.deployment).filter((id) => !api.answered.has(id));
  require(missing.length === 0, `not answered as specified: ${missing.join(', ')}`);
  return `${operationsOf(api.deployment).length} operations answered as specified`;
}
