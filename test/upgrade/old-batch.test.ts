import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { outputsOf, requiredOutput } from '../../bin/operator/stage-table.ts';
import { type ApiClient, apiClient, read } from '../../bin/smoke/api-client.ts';
import { create, finished, job } from '../../bin/smoke/batches.ts';
import { type BatchId, jobIdOf, newBatchId } from '../../lambdas/domain/identity.ts';
import { summarySchema } from '../../lambdas/domain/job/job-summary.ts';
import { stackNames } from '../../lib/stages.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { keptVersions, readKept } from '../support/kept-items/files.ts';

// A batch that failed in the version of the kept items and is retried after the upgrade.

type Item = Readonly<Record<string, AttributeValue>>;

const [version = ''] = keptVersions();
const kept = readKept(version);

let service: LocalService;
let dynamo: DynamoDBClient;
let s3: S3Client;
let names: { readonly table: string; readonly bucket: string };

beforeAll(async () => {
  service = await startLocalService();
  const { endpoint_url: endpointUrl, region } = service.description;
  const connection = clientConfiguration({ endpointUrl, region });
  dynamo = new DynamoDBClient(connection);
  s3 = new S3Client({ ...connection, forcePathStyle: true });
  const { stateful } = stackNames('local');
  const outputs = await outputsOf(connection, stateful);
  names = {
    table: requiredOutput(outputs, stateful, 'TableName'),
    bucket: requiredOutput(outputs, stateful, 'WorkBucketName'),
  };
});

afterAll(() => service.stop());

/** The kept batch that ended: its job 0 was completed, its job 1 has an invalid polygon. */
function endedBatch(): { readonly id: BatchId; readonly tenant: string } {
  const key = Object.keys(kept.objects).find((name) => name.endsWith('.block')) ?? '';
  const id = key.split('/')[1] ?? '';
  const batch = kept.items.find(({ pk, sk }) => pk?.S === `BATCH#${id}` && sk?.S === 'BATCH');
  return { id, tenant: batch?.['tenant']?.S ?? '' };
}

/**
 * Stores what that version stored for a batch whose job 0 failed while its raster was assembled, as if
 * it had run just now.
 * @returns its new id
 */
async function storeFailedBatch(endedId: BatchId): Promise<BatchId> {
  const now = new Date();
  const id = newBatchId(now);
  const ageMs = now.getTime() - Date.parse(kept.written_at);
  const moved = (text: string) => text.replaceAll(endedId, id);
  const later = (text: string) =>
    text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => new Date(Date.parse(at) + ageMs).toISOString())
      .replace(/(?<="expires_at":\{"N":")\d+/g, (at) =>
        String(Number(at) + Math.round(ageMs / 1_000)),
      );

  for (const item of kept.items.filter((one) => belongsToRun(one, endedId))) {
    const Item = JSON.parse(moved(later(JSON.stringify(asFailed(item)))));
    await dynamo.send(new PutItemCommand({ TableName: names.table, Item }));
  }
  const keys = Object.keys(kept.objects).filter((key) => /^(requests|work)\//.test(key));
  for (const key of keys.filter((name) => name.includes(endedId))) {
    const Body = Buffer.from(kept.objects[key] ?? '', 'base64');
    const Metadata = kept.metadata?.[key];
    const object = { Bucket: names.bucket, Key: moved(key), Body, ...(Metadata && { Metadata }) };
    await s3.send(new PutObjectCommand(object));
  }
  return id;
}

/** False for the items of its webhook and of its retry. */
function belongsToRun({ pk, sk }: Item, id: BatchId): boolean {
  return (pk?.S ?? '').includes(id) && /^(BATCH|METADATA|JOB#|PLAN|PATCH#)/.test(sk?.S ?? '');
}

function asFailed(item: Item): Item {
  const kind = item['sk']?.S ?? '';
  // The webhook's secret was encrypted with a key of another account.
  if (kind === 'BATCH') return { ...item, status: { S: 'failed' }, webhook: { NULL: true } };
  if (!kind.startsWith('JOB#') || item['status']?.S !== 'completed') return item;
  const { raster_bytes: _, raster_etag: __, summary: ___, ...failed } = item;
  const message = 'The raster was not written. Send the job again.';
  const error = { code: { S: 'internal' }, message: { S: message }, location: { NULL: true } };
  return { ...failed, status: { S: 'failed' }, error: { M: error } };
}

const completedJob = job.extend({ signed_cog_url: z.url(), summary: summarySchema });

/** The completed job of a batch, and its raster's bytes without the ids in its tags. */
async function resultOf(api: ApiClient, batchId: BatchId) {
  const { status, jobs } = await finished(api, batchId);
  expect(status, JSON.stringify(jobs)).toBe('completed');
  const [only] = z.tuple([completedJob]).parse(jobs);
  const response = await fetch(only.signed_cog_url);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const raster = bytes.replace(batchId, '').replace(only.job_id, '');
  return { job: only, raster };
}

it('a retry of a batch of the kept version has the result of a new batch', async () => {
  const ended = endedBatch();
  const key = await service.issueApiKey(ended.tenant, { requestsPerMinute: 1_000_000 });
  const api = apiClient('v2', service.description.v2_url, key);
  const old = await storeFailedBatch(ended.id);
  const [request] = JSON.parse(
    Buffer.from(kept.objects[`requests/${ended.id}.json`] ?? '', 'base64').toString(),
  );

  const retry = read(
    z.looseObject({ batch_id: z.string(), total_jobs: z.literal(1) }),
    await api.call('retryBatch', { path: { batch_id: old }, body: '{"only":"retryable"}' }),
  ).batch_id;
  const retried = await resultOf(api, retry);
  expect(retried.job['retry_of_job_id']).toBe(jobIdOf(old, 0));

  const fresh = await resultOf(api, (await create(api, { jobs: [request] })).batch_id);
  expect(retried.raster === fresh.raster, 'the same bytes').toBe(true);
  expect(retried.job.summary).toEqual(fresh.job.summary);
});
