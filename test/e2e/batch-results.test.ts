import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { itemCollection, resultTable } from '../../lambdas/api/operations/result-table.ts';
import { totalResponse } from '../../lambdas/api/operations/total-response.ts';
import { computeServiceVersion } from '../../lib/build/service-version.ts';
import { httpClient } from '../support/api/http-client.ts';
import { type Finished, findJob, finishExample, urlOf } from '../support/deployed/example-run.ts';
import { obtainProgram } from '../support/program.ts';

const service = inject('service');
let finished: Finished;
beforeAll(async () => {
  finished = await finishExample(httpClient(service.v2_url, service.api_key), 'v2');
});

// Both deployments read the batch that one of them created.
describe.each([
  { deployment: 'v1', baseUrl: service.v1_url },
  { deployment: 'v2', baseUrl: service.v2_url },
])('the results of a batch on $deployment', ({ baseUrl }) => {
  const call = httpClient(baseUrl, service.api_key);

  it('include a preview of each completed job, but none of a failed job', async () => {
    const previewOf = (index: number, options = {}) =>
      call(
        `/v1/batch/${finished.batchId}/jobs/${findJob(finished, index).job_id}/preview`,
        options,
      );
    for (const index of [0, 1]) {
      const { status, headers, text } = await previewOf(index);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('image/svg+xml');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect(text).toMatch(/^<svg .*href="data:image\/png;base64,.*<\/svg>\s*$/s);
      const unchanged = { headers: { 'If-None-Match': String(headers.get('etag')) } };
      expect((await previewOf(index, unchanged)).status).toBe(304);
    }
    expect((await previewOf(2)).status).toBe(404);
    expect((await previewOf(0, { key: null })).status).toBe(401);
  });

  it('have a link that redirects to a signed URL, for GET and for HEAD', async () => {
    const { job_id } = findJob(finished, 0);
    const url = `${baseUrl}/v1/batch/${finished.batchId}/jobs/${job_id}/result`;
    for (const method of ['GET', 'HEAD']) {
      const headers = { authorization: `Bearer ${service.api_key}` };
      const { status, headers: sent } = await fetch(url, { method, headers, redirect: 'manual' });
      expect(status).toBe(302);
      expect(new URL(String(sent.get('location'))).host).not.toBe(new URL(baseUrl).host);
      const raster = await fetch(String(sent.get('location')), { method });
      expect(raster.status).toBe(200);
      expect(Number(raster.headers.get('content-length'))).toBeGreaterThan(1_000);
      await raster.arrayBuffer();
    }
  });

  it('have totals with intervals; a request for totals that also names an unknown batch gets 404', async () => {
    const { status, json } = await call(`/v1/batch/${finished.batchId}/total`);
    expect(status).toBe(200);
    const { included_jobs, totals } = totalResponse.parse(json);
    expect(included_jobs).toBeGreaterThan(0);
    for (const { interval_missing, lower, mean } of totals) {
      expect(interval_missing).toBeNull();
      expect(lower).toBeLessThan(mean);
    }
    const foreign = await call(`/v1/batch/${finished.batchId}/total?batch_id=unknown`);
    expect(foreign.status).toBe(404);
  });

  it('are described as STAC Items with working links', async () => {
    const { job_id } = findJob(finished, 0);
    const item = await call(`/v1/batch/${finished.batchId}/jobs/${job_id}/item`);
    expect(item.status).toBe(200);
    expect(item.headers.get('content-type')).toBe('application/geo+json');
    const { id, properties, assets, links } = Object(item.json);
    expect(id).toBe(job_id);
    expect(properties).toMatchObject({ datetime: null, start_datetime: '1990-01-01T00:00:00Z' });
    expect(links[0].href).toBe(`${baseUrl}/v1/batch/${finished.batchId}/jobs/${job_id}/item`);
    const headers = { authorization: `Bearer ${service.api_key}` };
    for (const { href } of [assets.preview, assets.style]) {
      expect((await fetch(href, { headers })).status).toBe(200);
    }
  });

  it('list the jobs as one table in each format', async () => {
    const { batchId, jobs } = finished;
    const table = (query: string, options = {}) =>
      call(`/v1/batch/${batchId}/results${query}`, options);
    const [geojson, csv, stac] = [
      await table(''),
      await table('?format=csv'),
      await table('?format=stac'),
    ];
    for (const { status, headers } of [geojson, csv, stac]) {
      expect(status).toBe(200);
      expect(headers.get('batch-finished')).toBe('true');
      expect(headers.get('retry-after')).toBeNull();
    }
    const rows = resultTable.parse(geojson.json).features.map(({ properties }) => properties);
    expect(rows).toMatchObject(
      jobs.map(({ job_id, status, error_message, summary }) => ({
        ...{ job_id, status, error_message, mean: summary?.mean ?? null },
        result_url:
          status === 'completed' ? `${baseUrl}/v1/batch/${batchId}/jobs/${job_id}/result` : null,
      })),
    );
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(csv.text.split('\r\n')).toHaveLength(1 + jobs.length + 1);
    const { features } = itemCollection.parse(stac.json);
    expect(features.map(({ id }) => id)).toEqual(jobs.map(({ job_id }) => job_id));
    const { json } = await call(`/v1/batch/${batchId}/jobs/${findJob(finished, 0).job_id}/item`);
    expect(features[0]).toEqual(json);
    const unchanged = { headers: { 'If-None-Match': String(csv.headers.get('etag')) } };
    expect((await table('?format=csv', unchanged)).status).toBe(304);
    expect((await table('?format=shp')).status).toBe(400);
  });
});

describe('the rasters of a batch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-'));

  it('are confirmed by GDAL, rio-cogeo and ONNX Runtime', async () => {
    for (const index of [0, 1]) {
      const file = join(folder, `${index}.tif`);
      const download = await fetch(urlOf(findJob(finished, index)));
      writeFileSync(file, Buffer.from(await download.arrayBuffer()));
      const command = ['test/e2e/check_result.py', file, 'models/meuse-soc'];
      const report = JSON.parse(execFileSync('.local/venv/bin/python', command).toString());
      expect(report.cog).toEqual({ valid: true, errors: [], warnings: [] });
      expect(report.crs).toBe(28992);
      expect(report.descriptions).toHaveLength(3);
      expect(report.units).toEqual(['kg/m3', 'kg/m3', 'kg/m3']);
      expect(report.worst_relative_difference).toBeLessThan(1e-5);
      expect(report.predicted_without_covariates).toBe(0);
      expect(report.partly_nodata).toBe(0);
      expect(report.minimum).toBeGreaterThanOrEqual(0);
      expect(report.predicted).toBeGreaterThan(100);
      for (const band of report.statistics) {
        expect(Number(band.STATISTICS_MINIMUM)).toBeLessThanOrEqual(
          Number(band.STATISTICS_MAXIMUM),
        );
      }
    }
  });

  it('are verified by `npm run verify`', async () => {
    const { job_id } = findJob(finished, 1);
    const item = `${service.v2_url}/v1/batch/${finished.batchId}/jobs/${job_id}/item`;
    const program = await obtainProgram('bin/verify.ts');
    const verify = (key: string) => {
      const env = { ...process.env, API_KEY: key };
      return spawnSync(process.execPath, [program, item, '--json'], { env, encoding: 'utf8' });
    };
    const { status, stdout, stderr } = verify(service.api_key);
    expect(`${stderr}${status}`).toBe('0');
    const verified = JSON.parse(stdout);
    expect(verified).toMatchObject({
      verified: true,
      model: 'meuse-soc@1.0.0',
      changed: [],
      cells: { differing: 0 },
    });
    // The version in the raster must equal the version that this clone would deploy.
    const { version } = Object(await (await fetch(`${service.v2_url}/health`)).json());
    expect(verified.version).toEqual({ predicted: version, here: computeServiceVersion() });
    const rejected = verify('not-a-key');
    expect(rejected.status).toBe(2);
    expect(rejected.stderr).toMatch(/^verify: No valid API key: .*\n$/);
  });
});
