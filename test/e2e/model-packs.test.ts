import { fromArrayBuffer } from 'geotiff';
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { batchStatusResponse } from '../../lambdas/api/endpoints/batch-status.ts';
import { jobStatusResponse } from '../../lambdas/api/endpoints/job-status.ts';
import { resultTable } from '../../lambdas/api/endpoints/result-table.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { comparedByGdal, layersOf } from '../support/mirror/compare.ts';
import { PLACES } from '../support/mirror/places.ts';
import { FIELD, MAP_FILES, NETWORK_PREDICTION, slopesOwner } from './packs/packs.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

type JobStatus = z.infer<typeof jobStatusResponse>;

/** Runs one job with the model to its end. */
async function jobOn(model: string): Promise<JobStatus> {
  const body = JSON.stringify({ model, jobs: [{ polygon: FIELD, year: 2020 }] });
  const created = spec.created.parse((await call('/v1/batch', { body })).json);
  const job = `/v1/batch/${created.batch_id}/jobs/${created.job_ids[0]}/status`;
  const { json } = await eventually(
    () => call(job),
    ({ status, json }) => status === 200 && jobStatusResponse.parse(json).completed_at !== null,
  );
  return jobStatusResponse.parse(json);
}

async function cellsOf({ signed_cog_url: url, error_message }: JobStatus): Promise<Float32Array> {
  if (url === null) throw new Error(`no raster: ${error_message}`);
  const bytes = await (await fetch(url)).arrayBuffer();
  const [cells] = await (await fromArrayBuffer(bytes)).readRasters({ samples: [0] });
  if (!(cells instanceof Float32Array)) throw new Error('not float32');
  return cells.filter((cell) => cell !== -9999);
}

describe('a pack whose graph is a neural network', () => {
  it('is evaluated by ONNX Runtime in the deployed function', async () => {
    const cells = await cellsOf(await jobOn('network'));
    expect(cells.length).toBeGreaterThan(100);
    const expected = NETWORK_PREDICTION ?? Number.NaN;
    for (const cell of cells) {
      expect(Math.abs(cell - expected)).toBeLessThanOrEqual(1e-5 * Math.abs(expected));
    }
  });
});

describe('a covariate in another account’s S3 bucket', () => {
  const owner = slopesOwner({ endpointUrl: service.endpoint_url, region: service.region });
  afterAll(() => owner.close());

  /** A job that runs between `block` and `unblock`. */
  async function failedJob(block: () => Promise<unknown>, unblock: () => Promise<unknown>) {
    await block();
    try {
      const job = await jobOn('slope-in-s3');
      expect(job).toMatchObject({ status: 'failed', error_code: 'covariate_unavailable' });
      // Planning a job looks up its covariates.
      expect(job.patch_batches).toEqual([]);
      return job;
    } finally {
      await unblock();
    }
  }
  // S3 distinguishes the two only for callers that may list the bucket.
  const unavailable = /covariate "slope" is unavailable: .*(access is denied|no such object)/;

  it('fails the job with its name while the bucket denies access', async () => {
    const { error_message } = await failedJob(owner.forbid, owner.allow);
    expect(error_message).toMatch(unavailable);
  });

  it('fails the job with its name while it is missing', async () => {
    const { error_message } = await failedJob(owner.remove, owner.put);
    expect(error_message).toMatch(unavailable);
  });

  it('is read with the function’s role once access is allowed', async () => {
    expect((await cellsOf(await jobOn('slope-in-s3'))).length).toBeGreaterThan(100);
  });
});

// Only functions of an emulator that the setup started trust the map's server.
describe.skipIf(service.emulator_process_id === null)(
  'a published map of two periods, read over HTTPS',
  () => {
    it('has for each year the cells of its period, as GDAL reads them, and says so everywhere', async () => {
      const { coast: polygon } = PLACES;
      const wanted = [2017, 2022, 2023].map((year) => ({
        year,
        polygon,
        model: 'openlandmap-soc',
      }));
      const created = await call('/v1/batch', { body: JSON.stringify({ jobs: wanted }) });
      const batch = `/v1/batch/${spec.created.parse(created.json).batch_id}`;
      const { json } = await eventually(
        () => call(`${batch}/status`),
        ({ json }) => batchStatusResponse.parse(json).completed_at !== null,
      );
      const [earlier, later, outside] = batchStatusResponse.parse(json).jobs;
      expect(outside).toMatchObject({ status: 'failed', error_code: 'year_not_covered' });
      expect(outside?.error_message).toMatch(/2015.*2022/);

      const rows = resultTable.parse((await call(`${batch}/results`)).json).features;
      const periods = [
        { job: earlier, year: 2017, row: rows[0], period: [2015, 2020] },
        { job: later, year: 2022, row: rows[1], period: [2020, 2022] },
      ];
      const found = await comparedByGdal(
        periods.map(({ job, year }) => ({
          url: job?.signed_cog_url ?? null,
          layers: layersOf(year, MAP_FILES),
          polygon,
        })),
      );
      for (const [i, { job, row, period }] of periods.entries()) {
        const [first, last] = period;
        expect(found[i]).toMatchObject({ differing: 0, data_period: `${first}/${last}` });
        expect(found[i]?.quantiles).toEqual([null, '0.16', '0.84']);
        expect(found[i]?.valid).toBeGreaterThan(100);
        expect(job).toMatchObject({ data_period: period, summary: { level: 0.68 } });
        expect(job?.summary?.mean).toBeCloseTo(found[i]?.mean ?? Number.NaN, 3);
        expect(row?.properties).toMatchObject({
          data_period_start: first,
          data_period_end: last,
          level: 0.68,
        });
        const item = await call(`${batch}/jobs/${job?.job_id}/item`);
        expect(item.json).toMatchObject({
          properties: { 'soil:data_period': period, 'soil:summary': { level: 0.68 } },
        });
      }
      expect(earlier?.summary?.mean).not.toBeCloseTo(later?.summary?.mean ?? Number.NaN, 1);
    });
  },
);
