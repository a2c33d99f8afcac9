import { describe, expect, it } from 'vitest';
import { problemBody } from '../../../lambdas/api/specification/problem-schema.ts';
import { completedResult } from './completed-result.ts';
import { failedJob } from './job-records.ts';

describe('the link to a result', () => {
  it.each([{ deployment: 'v1' }, { deployment: 'v2' }])(
    'redirects to a newly signed URL on %j',
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
    service.jobs.set(`${batchId}/0`, failedJob(0));
    const { status, body } = await result();
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('result-not-found');
  });

  it('is 503 while there is no signing key', async () => {
    const { service, result } = await completedResult();
    service.faults.signing = true;
    const { status, body } = await result();
    expect(status).toBe(503);
    expect(problemBody.parse(body).type).toContain('signing-key-unavailable');
  });
});
