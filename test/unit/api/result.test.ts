import { describe, expect, it } from 'vitest';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { completedResult } from '../../support/api/completed-result.ts';
import { failedJob } from '../../support/api/job-records.ts';
import { NOW } from '../../support/api/written-stores.ts';

const RETENTION_MS = 30 * 86_400_000;

describe('the link to a result', () => {
  it.each([{ deployment: 'v1' }, { deployment: 'v2' }])(
    'redirects to the raster with a response that must not be cached, on %j',
    async (variables) => {
      const { batchId, jobId, result } = await completedResult();
      const { status, headers, text } = await result({ variables });
      expect(status).toBe(302);
      expect(text).toBe('');
      expect(headers['Location']).toContain(`/${batchId}/${jobId}.tif?`);
      expect(headers['Cache-Control']).toBe('no-store');
    },
  );

  it('redirects HEAD to a URL that is signed for HEAD', async () => {
    const { result } = await completedResult();
    const [get, head] = [await result(), await result({ method: 'HEAD' })];
    expect(get.headers['Location']).not.toContain('x-id=HeadObject');
    expect(head.headers['Location']).toContain('x-id=HeadObject');
  });

  it('is 404 for a job without a result', async () => {
    const { service, batchId, result } = await completedResult();
    await service.storeJob(batchId, failedJob(0));
    const { status, body } = await result();
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('result-not-found');
  });

  it('says that an unfinished job has no result yet, and when to retry', async () => {
    const { service, batchId, result } = await completedResult();
    await service.removeJob(batchId, 0);
    const { status, headers, body } = await result();
    expect(status).toBe(404);
    expect(headers['Retry-After']).toBe('5');
    expect(problemBody.parse(body).detail).toMatch(/not completed yet/);
  });

  it('is 503 while there is no signing key', async () => {
    const { service, result } = await completedResult();
    service.faults.signing = true;
    const { status, body } = await result();
    expect(status).toBe(503);
    expect(problemBody.parse(body).type).toContain('signing-key-unavailable');
  });
});

describe('expired results', () => {
  const kinds = ['result', 'preview', 'item', 'table'] as const;
  const expiry = new Date(NOW.getTime() + RETENTION_MS);

  it.each(kinds)('respond 410 with the time of expiry: %s', async (kind) => {
    const completed = await completedResult();
    completed.service.time.now = new Date(expiry.getTime() - 1);
    expect((await completed[kind]()).status).toBeLessThan(400);
    completed.service.time.now = expiry;
    const { status, body } = await completed[kind]();
    expect(status).toBe(410);
    const problem = problemBody.parse(body);
    expect(problem.type).toMatch(/results-expired$/);
    expect(problem.results_expired_at).toBe(expiry.toISOString());
    expect(problem.detail).toContain(expiry.toISOString());
  });

  it.each(kinds)(
    'give the same response to another tenant, and after the batch is deleted: %s',
    async (kind) => {
      const { service, batchId, ...operations } = await completedResult();
      service.time.now = expiry;
      const own = await operations[kind]();
      expect(await operations[kind]({ tenant: 'beta' })).toEqual(own);
      await service.removeBatch(batchId);
      expect(await operations[kind]()).toEqual(own);
    },
  );
});
