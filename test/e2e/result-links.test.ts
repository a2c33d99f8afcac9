import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { jobResult } from '../../lambdas/domain/job/reading/job-schema.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../support/deployed/jobs.ts';
import { type EmptyPages, openEmptyPages } from '../support/empty-pages.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

async function createCompletedJob() {
  const body = JSON.stringify({ jobs: [SEVERAL_PATCH_BATCHES] });
  const { batch_id } = spec.created.parse((await call('/v1/batch', { body })).json);
  const { jobs } = await eventually(
    async () => spec.batch.parse((await call(`/v1/batch/${batch_id}/status`)).json),
    ({ completed_at }) => completed_at !== null,
  );
  const [job] = jobs;
  if (job?.status !== 'completed') throw new Error(`the job is ${job?.status}`);
  const links = z.object({ result_url: z.url(), item_url: z.url() });
  return { job, links: links.parse(job) };
}

let completed: Awaited<ReturnType<typeof createCompletedJob>>;
beforeAll(async () => {
  completed = await createCompletedJob();
});

it('the links of a job lead to its result, preview and STAC Item', async () => {
  const headers = { authorization: `Bearer ${service.api_key}` };
  const read = async (url: string) => (await fetch(url, { headers })).headers.get('content-type');
  const { result_url, item_url } = completed.links;
  expect(await read(result_url)).toMatch(/^image\/tiff/);
  expect(await read(item_url.replace(/item$/, 'preview'))).toBe('image/svg+xml');
  expect(await read(item_url)).toBe('application/geo+json');
});

it('GDAL reads a raster by its stable link with a key', async () => {
  const script = `import json, rasterio
with rasterio.open(${JSON.stringify(`/vsicurl/${completed.links.result_url}`)}) as raster:
  print(json.dumps([raster.count, float(raster.read(1, masked=True).mean())]))`;
  const { stdout } = await promisify(execFile)('.local/venv/bin/python', ['-c', script], {
    env: {
      GDAL_HTTP_HEADERS: `Authorization: Bearer ${service.api_key}`,
      // By default, GDAL would also read with the URL that is signed for HEAD.
      CPL_VSIL_CURL_USE_HEAD: 'NO',
    },
  });
  expect(JSON.parse(stdout)).toEqual([3, expect.closeTo(completed.job.summary?.mean ?? 0, 0)]);
});

describe('a page in a browser', () => {
  const [allowed = ''] = readStageConfig('local').corsOrigins;
  const forbidden = 'http://forbidden.example:5173';
  let pages: EmptyPages;
  beforeAll(async () => {
    pages = await openEmptyPages([allowed, forbidden]);
  });
  afterAll(() => pages.close());

  async function fetchInPage(origin: string, headers: Readonly<Record<string, string>> = {}) {
    const page = await pages.browser.newPage();
    await page.goto(origin);
    const sent = { authorization: `Bearer ${service.api_key}`, ...headers };
    const read = await page.evaluate(buildFetchScript(completed.links.result_url, sent));
    await page.close();
    return read;
  }

  it('can read a result across the redirect if its origin is allowed', async () => {
    const { bytes, etag } = jobResult.parse(completed.job['result']);
    expect(new URL(completed.job.signed_cog_url ?? '').origin).not.toBe(
      new URL(service.v2_url).origin,
    );
    expect(await fetchInPage(allowed)).toEqual({
      status: 200,
      redirected: true,
      length: bytes,
      start: [0x49, 0x49, 0x2a, 0],
      etag,
      range: null,
    });
  });

  it('can read a range of a result if its origin is allowed', async () => {
    const { bytes, etag } = jobResult.parse(completed.job['result']);
    expect(await fetchInPage(allowed, { range: 'bytes=0-3' })).toEqual({
      status: 206,
      redirected: true,
      length: 4,
      start: [0x49, 0x49, 0x2a, 0],
      etag,
      range: `bytes 0-3/${bytes}`,
    });
  });

  it('cannot follow the link if its origin is not allowed', async () => {
    expect(await fetchInPage(forbidden)).toBe('TypeError: Failed to fetch');
  });
});

function buildFetchScript(url: string, headers: object): Parameters<Page['evaluate']>[0] {
  return `(async () => {
    const response = await fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      status: response.status,
      redirected: response.redirected,
      length: bytes.length,
      start: [...bytes.slice(0, 4)],
      etag: response.headers.get('etag'),
      range: response.headers.get('content-range'),
    };
  })().catch(String)`;
}
