import { describe, expect, it } from 'vitest';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { withLinks } from '../../../lambdas/api/operations/job-links.ts';
import { retryBatchOperation, retryResponse } from '../../../lambdas/api/operations/retry-batch.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { batchView } from '../../../lambdas/domain/batch/batch-view.ts';
import { finishBatch } from '../../../lambdas/domain/batch/finish-batch.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { planJob } from '../../../lambdas/domain/job/planning/plan-job.ts';
import { readJobViews } from '../../../lambdas/domain/job/reading/job-view.ts';
import { jobLinks } from '../../../lambdas/results/result-links.ts';
import { handle } from '../../../local/dev/handle.ts';
import { BASE_URL, gatewayEvent } from '../../support/api/gateway-event.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { BOW_TIE, FIELD, UTRECHT } from '../../support/domain/polygons.ts';

async function createRetryable(polygons: readonly object[] = [FIELD]) {
  const deployment = aDeployment();
  const jobs = polygons.map((polygon) => ({ polygon, year: 2024 }));
  const { batch_id: batchId } = await postBatch(deployment, jobs, { tenant: 'farm' });
  const operation = retryBatchOperation(deployment);
  const handler = handle(
    routeNamed('retry-batch'),
    () => operation,
    () => {},
  );
  const retry = (id: string, body = '') =>
    handler(
      gatewayEvent({
        body,
        method: 'POST',
        tenant: 'farm',
        path: `/v1/batch/${id}/retry`,
        resource: '/v1/batch/{batch_id}/retry',
        parameters: { batch_id: id },
      }),
    );
  return { deployment, batchId, retry };
}

describe('POST /v1/batch/{batch_id}/retry', () => {
  it('returns 202 with the new batch, the batch that it retries, and the status URL', async () => {
    const { deployment, batchId, retry } = await createRetryable();
    await finishBatch(deployment, batchId);
    const { statusCode, body, headers } = await retry(batchId);
    expect(statusCode).toBe(202);
    const made = retryResponse.parse(JSON.parse(body));
    expect(made).toMatchObject({ retry_of: batchId, total_jobs: 1, status: 'pending' });
    expect(made.job_ids).toEqual([jobIdOf(made.batch_id, 0)]);
    expect(made.message).toContain(`1 job of batch ${batchId} `);
    expect(headers).toMatchObject({
      Location: expect.stringContaining(`/v1/batch/${made.batch_id}/status`),
      'X-RateLimit-Limit-Jobs': expect.any(String),
    });
  });

  it('says how many jobs will fail again, because their errors are permanent', async () => {
    const { deployment, batchId, retry } = await createRetryable([FIELD, BOW_TIE, UTRECHT]);
    for (const index of [1, 2]) await planJob(deployment, batchId, index);
    await finishBatch(deployment, batchId);
    const { message } = retryResponse.parse(JSON.parse((await retry(batchId)).body));
    expect(message).toMatch(
      new RegExp(`^3 jobs of batch ${batchId} .*\\. Permanent errors .*: 2\\.`),
    );
    expect(message).toContain('error_retryable: false');
    const again = retryResponse.parse(JSON.parse((await retry(batchId)).body));
    expect(again.message).toBe(message);
  });

  it('does not mention permanent errors if there are none', async () => {
    const { deployment, batchId, retry } = await createRetryable();
    await finishBatch(deployment, batchId);
    const { message } = retryResponse.parse(JSON.parse((await retry(batchId)).body));
    expect(message).not.toContain('fail again');
  });

  it('names the retried batch and jobs in the status of the new batch', async () => {
    const { deployment, batchId, retry } = await createRetryable();
    await finishBatch(deployment, batchId);
    const made = retryResponse.parse(JSON.parse((await retry(batchId)).body));
    const batch = await deployment.batches.readBatch(made.batch_id);
    if (batch === null) throw new Error('no batch');
    const signer = { sign: () => Promise.reject(new Error('nothing is completed')) };
    const views = await readJobViews({ ...deployment, signer }, batch, [], [0]);
    const linksOf = jobLinks(BASE_URL, batch.batch_id);
    const jobs = views.map((job) => withLinks(job, linksOf));
    const status = {
      ...batchView(batch, [], null, batch.created_at, null),
      jobs,
      models: [],
    };
    expect(batchStatusResponse.parse(JSON.parse(JSON.stringify(status)))).toMatchObject({
      retry_of: batchId,
      jobs: [{ retry_of_job_id: jobIdOf(batchId, 0) }],
    });
  });

  it('retries the selected jobs, and returns 409 naming the first retry for another selection', async () => {
    const { deployment, batchId, retry } = await createRetryable([FIELD, BOW_TIE, FIELD]);
    await planJob(deployment, batchId, 1);
    await finishBatch(deployment, batchId);
    const made = retryResponse.parse(
      JSON.parse((await retry(batchId, '{"only":"retryable"}')).body),
    );
    expect(made.total_jobs).toBe(2);
    const same = await retry(batchId, '{"jobs":[2,0]}');
    expect(retryResponse.parse(JSON.parse(same.body)).batch_id).toBe(made.batch_id);
    const other = await retry(batchId);
    expect(other.statusCode).toBe(409);
    const { detail } = problemBody.parse(JSON.parse(other.body));
    expect(detail).toContain(made.batch_id);
    expect(detail).toContain('jobs 0, 2 ');
  });

  it('selects every failed job when the fields of the body are null', async () => {
    const { deployment, batchId, retry } = await createRetryable([FIELD, BOW_TIE]);
    await planJob(deployment, batchId, 1);
    await finishBatch(deployment, batchId);
    const { body } = await retry(batchId, '{"only":null,"jobs":null}');
    expect(retryResponse.parse(JSON.parse(body)).total_jobs).toBe(2);
  });

  it.each([
    ['{"only":"all"}', '/only', /"failed" or "retryable"/],
    ['{"jobs":[]}', '/jobs', /1 to 1000/],
    ['{"jobs":[-1]}', '/jobs/0', /whole number/],
    ['{"jobs":[0,1]}', '/jobs/1', /from 0 to 0/],
    ['{"jobs":"all"}', '/jobs', /array/],
    ['{"job":1}', '/job', /allowed: only, jobs/],
    ['{"only":"failed","only":"retryable"}', '/only', /more than once/],
    ['[]', '', /JSON object/],
  ])('rejects the selection %s', async (body, pointer, says) => {
    const { deployment, batchId, retry } = await createRetryable();
    await finishBatch(deployment, batchId);
    const response = await retry(batchId, body);
    expect(response.statusCode).toBe(422);
    const [error] = problemBody.parse(JSON.parse(response.body)).errors ?? [];
    expect(error?.pointer).toBe(pointer);
    expect(error?.message).toMatch(says);
    expect((await retry(batchId)).statusCode).toBe(202);
  });

  it('returns 409 if no failed job is selected', async () => {
    const { deployment, batchId, retry } = await createRetryable([BOW_TIE]);
    await planJob(deployment, batchId, 0);
    await finishBatch(deployment, batchId);
    const response = await retry(batchId, '{"only":"retryable"}');
    expect(response.statusCode).toBe(409);
    expect(problemBody.parse(JSON.parse(response.body)).detail).toMatch(/nothing to retry/);
  });

  it('returns 409 while the batch is not finished', async () => {
    const { batchId, retry } = await createRetryable();
    const { statusCode, body } = await retry(batchId);
    expect(statusCode).toBe(409);
    expect(problemBody.parse(JSON.parse(body)).detail).toMatch(/not finished/);
  });

  it('returns 404 for an unknown batch', async () => {
    const { retry } = await createRetryable();
    expect((await retry('0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70')).statusCode).toBe(404);
  });
});
