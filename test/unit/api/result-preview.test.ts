import { describe, expect, it } from 'vitest';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { completedResult } from '../../support/api/completed-result.ts';
import { completedJob, failedJob, processingJob } from '../../support/api/job-records.ts';
import { inMemoryService, LATER } from '../../support/api/service.ts';

const FINISHED = {
  status: 'completed',
  started_at: LATER,
  completed_at: LATER,
  completed_jobs: 1,
} as const;
const HOSTILE = '"><script>alert(1)</script><!-- ]]> \u202e \u0000';

describe('the preview of a result', () => {
  it.each([{ deployment: 'v1' }, { deployment: 'v2' }])(
    'is an SVG image on %j',
    async (variables) => {
      const { preview } = await completedResult();
      const { status, headers, text } = await preview({ variables });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'Content-Type': 'image/svg+xml',
        'Cache-Control': 'private, no-cache',
        'Content-Security-Policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      });
      expect(text).toContain('>North field</text>');
      expect(text).toContain('>soil organic carbon density, 0–20 cm, kg/m³ · mean</text>');
      expect(text).toContain('>meuse-soc@1.0.0 · data of 1990</text>');
      expect(text).toContain('href="data:image/png;base64,');
    },
  );

  it('is neither downloaded nor drawn again while it is unchanged', async () => {
    const { service, preview } = await completedResult();
    const { headers } = await preview();
    const known = { 'If-None-Match': String(headers['ETag']) };
    service.rasters.clear();
    expect(await preview({ headers: known })).toMatchObject({
      status: 304,
      text: '',
      headers: { ETag: headers['ETag'], 'Cache-Control': 'private, no-cache' },
    });
  });

  it('is drawn again for another band, raster, job name or version of the service', async () => {
    const one = await completedResult();
    const { headers } = await one.preview();
    const known = { 'If-None-Match': String(headers['ETag']) };
    const band = await one.preview({ headers: known, query: { band: 'q95' } });
    expect(band.status).toBe(200);
    expect(band.text).toContain('· q95</text>');
    await one.service.storeJob(one.batchId, { ...completedJob(0), raster_etag: '"other"' });
    expect((await one.preview({ headers: known })).status).toBe(200);
    const named = await completedResult('South field');
    expect((await named.preview({ headers: known })).status).toBe(200);
    const newer = await completedResult('North field', inMemoryService({ version: '1.2.4' }));
    expect((await newer.preview({ headers: known })).status).toBe(200);
  });

  it("has its batch's colours once the batch is final, and otherwise the model's colours", async () => {
    const { service, batchId, preview } = await completedResult();
    const legendOf = async (query: Readonly<Record<string, string>> = {}) => {
      const { text } = await preview({ query });
      return [...text.matchAll(/>([\d.]+)<\/text>/g)].map(([, tick]) => tick);
    };
    expect(await legendOf()).toEqual(['20', '40', '60', '80', '100']);
    const display_ranges = [
      { model: 'meuse-soc@1.0.0', minimum: 26.5, maximum: 46.2 },
      { model: 'other@1.0.0', minimum: 0, maximum: 1 },
    ];
    await service.changeBatch(batchId, { ...FINISHED, display_ranges });
    expect(await legendOf()).toEqual(['30', '35', '40', '45']);
    expect(await legendOf({ band: 'q95' })).toEqual(['30', '35', '40', '45']);
    await service.changeBatch(batchId, { ...FINISHED, display_ranges: [] });
    expect(await legendOf()).toEqual(['20', '40', '60', '80', '100']);
  });

  it('escapes the name of the job', async () => {
    const { preview } = await completedResult(HOSTILE);
    const { text } = await preview();
    expect(text).toContain('&quot;&gt;&lt;script&gt;');
    for (const raw of ['<script', '<!--', '\u202e', '\u0000']) expect(text).not.toContain(raw);
  });

  it('has the property as its title if the job has no name', async () => {
    const { text } = await (await completedResult(null)).preview();
    expect(text).toContain('<title>soil organic carbon density, 0–20 cm, kg/m³</title>');
  });

  it('rejects a band that the model does not have', async () => {
    const { status, body } = await (await completedResult()).preview({ query: { band: 'q50' } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ pointer: '/band' }] });
  });

  it.each([
    ['while the job is running', processingJob(0), '5'],
    ['after the job has failed', failedJob(0), undefined],
  ] as const)('is 404 %s', async (_, record, retryAfter) => {
    const { service, batchId, preview } = await completedResult();
    await service.storeJob(batchId, record);
    const { status, headers, body } = await preview();
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('result-not-found');
    expect(headers['Retry-After']).toBe(retryAfter);
  });

  it('is 404 for another tenant, before the result is read', async () => {
    const { service, preview } = await completedResult();
    service.rasters.clear();
    const { status, body } = await preview({ tenant: 'beta' });
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('batch-not-found');
  });

  it('is 404 for a job of another batch', async () => {
    const [one, other] = [await completedResult(), await completedResult()];
    const parameters = { batch_id: one.batchId, job_id: other.jobId };
    const { status, body } = await one.preview({ parameters });
    expect(status).toBe(404);
    expect(problemBody.parse(body).type).toContain('job-not-found');
  });
});
