import { SoilClient } from 'soil-batch-client';
import { expect, it } from 'vitest';
import { JOB_DETAIL, jobWith, statusWith } from '../../support/client/responses.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const URL_OF_RESULT = 'https://results.soil.example/r.tif?X-Amz-Signature=1';
const OTHER = 'https://other.example';

function makeBatch(...responses: readonly (() => Response)[]) {
  const { fetch, exchanges } = scriptedFetch(...responses);
  const client = new SoilClient({ baseUrl: 'https://v1.soil.example', apiKey: 'key', fetch });
  return { batch: client.batch('b'), requested: () => exchanges.map(({ url }) => url.pathname) };
}

const redirect = (location?: string) => () =>
  new Response(null, {
    status: 302,
    headers: location === undefined ? {} : { Location: location },
  });

const job = jobWith({ signed_cog_url: URL_OF_RESULT });
const onlyOnV2 = () =>
  Response.json({ type: 'https://x/docs/problems/only-on-v2', title: 'x' }, { status: 404 });

it('the client takes a new result URL from the redirect', async () => {
  const { batch, requested } = makeBatch(redirect(URL_OF_RESULT));
  expect(await batch.resultUrl(job.job_id)).toBe(URL_OF_RESULT);
  expect(requested()).toEqual([`/v1/batch/b/jobs/${job.job_id}/result`]);
});

it('in a browser, which hides redirects, the client takes the result URL from the job status', async () => {
  const { batch } = makeBatch(redirect(), () =>
    Response.json({ ...JOB_DETAIL, signed_cog_url: URL_OF_RESULT }),
  );
  expect(await batch.resultUrl(job.job_id)).toBe(URL_OF_RESULT);
});

it('in a browser on V1, the client takes the result URL from the batch status', async () => {
  const jobs = [jobWith({ job_id: JOB_DETAIL.batch_id, signed_cog_url: OTHER }), job];
  const { batch, requested } = makeBatch(redirect(), onlyOnV2, () =>
    Response.json(statusWith({ jobs })),
  );
  expect(await batch.resultUrl(job.job_id)).toBe(URL_OF_RESULT);
  expect(requested().at(-1)).toBe('/v1/batch/b/status');
});

it.each(['data:text/plain,x', 'file:///etc/passwd', '/relative'])(
  'the client rejects a redirect to %s',
  async (location) => {
    const { batch } = makeBatch(redirect(location));
    await expect(batch.resultUrl(job.job_id)).rejects.toMatchObject({ type: 'not-the-service' });
  },
);
