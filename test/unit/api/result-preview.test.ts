import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/batch/creation-response.ts';
import { problemBody } from '../../../lambdas/api/specification/problem-schema.ts';
import { type CellFunction, raster, writeCog } from '../raster/builders.ts';
import type { Call } from './gateway-event.ts';
import { completedJob, failedJob, processingJob } from './job-records.ts';
import { creationBody, inMemoryService } from './service.ts';

const slope: CellFunction = (col, row, band) => 20 + (col + row) / 10 + band;
const bands = ['mean', 'q05', 'q95'].map((name) => ({ name, description: name, unit: 'kg/m3' }));
const cog = await writeCog(raster({ bands }), slope);

const HOSTILE = '"><script>alert(1)</script><!-- ]]> \u202e \u0000';

async function completed(name: string | null = 'North field') {
  const service = inMemoryService();
  const body = JSON.parse(String(creationBody()));
  const jobs = [{ ...body.jobs[0], ...(name === null ? {} : { name }) }];
  const created = await service.create({ body: JSON.stringify({ jobs }) });
  const { batch_id: batchId, job_ids } = creationResponse.parse(created.body);
  const jobId = job_ids['0'] ?? '';
  service.jobs.set(`${batchId}/0`, completedJob(0));
  service.rasters.set(`${batchId}/${jobId}`, cog);
  const preview = (call: Call = {}) =>
    service.resultPreview({
      path: `/v1/batch/${batchId}/jobs/${jobId}/preview`,
      resource: '/v1/batch/{batch_id}/jobs/{job_id}/preview',
      parameters: { batch_id: batchId, job_id: jobId },
      ...call,
    });
  return { service, batchId, jobId, preview };
}

describe('the preview of a result', () => {
  it.each([{ deployment: 'v1' }, { deployment: 'v2' }])('is an SVG on %j', async (variables) => {
    const { preview } = await completed();
    const { status, headers, text } = await preview({ variables });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'private, max-age=3600',
      'Content-Security-Policy': expect.stringMatching(/default-src 'none'.*sandbox/),
    });
    expect(text).toContain('>North field</text>');
    expect(text).toContain('>soil organic carbon density, 0–20 cm, kg/m³ · mean</text>');
    expect(text).toContain('>meuse-soc@1.0.0 · data of 1990</text>');
    expect(text).toContain('href="data:image/png;base64,');
  });

  it('is not downloaded again while it is the same', async () => {
    const { preview } = await completed();
    const { headers } = await preview();
    const again = await preview({ headers: { 'If-None-Match': String(headers['ETag']) } });
    expect(again).toMatchObject({ status: 304, text: '' });
    const other = await preview({
      headers: { 'If-None-Match': String(headers['ETag']) },
      query: { band: 'q95' },
    });
    expect(other.status).toBe(200);
    expect(other.text).toContain('· q95</text>');
  });

  it('escapes the name of the job', async () => {
    const { preview } = await completed(HOSTILE);
    const { text } = await preview();
    expect(text).toContain('&quot;&gt;&lt;script&gt;');
    for (const raw of ['<script', '<!--', '\u202e', '\u0000']) expect(text).not.toContain(raw);
  });

  it('has the property as its title if the job has no name', async () => {
    const { text } = await (await completed(null)).preview();
    expect(text).toContain('<title>soil organic carbon density, 0–20 cm, kg/m³</title>');
  });

  it('rejects a band that the model does not have', async () => {
    const { status, body } = await (await completed()).preview({ query: { band: 'q50' } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ pointer: '/band' }] });
  });

  it.each([
    ['while the job is running', processingJob(0), '5'],
    ['after the job has failed', failedJob(0), undefined],
  ] as const)('is 404 %s', async (_, record, retryAfter) => {
    const { service, batchId, preview } = await completed();
    service.jobs.set(`${batchId}/0`, record);
    const { status, headers, body } = await preview();
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('result-not-found');
    expect(headers['Retry-After']).toBe(retryAfter);
  });

  it('is 404 for another tenant, before the result is read', async () => {
    const { service, preview } = await completed();
    service.rasters.clear();
    const { status, body } = await preview({ tenant: 'beta' });
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('batch-not-found');
  });

  it('is 404 for a job of another batch', async () => {
    const [one, other] = [await completed(), await completed()];
    const parameters = { batch_id: one.batchId, job_id: other.jobId };
    const { status, body } = await one.preview({ parameters });
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('job-not-found');
  });
});
