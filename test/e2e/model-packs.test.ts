import { fromArrayBuffer } from 'geotiff';
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { batchStatusResponse } from '../../lambdas/api/operations/batch-status.ts';
import { jobStatusResponse } from '../../lambdas/api/operations/job-status.ts';
import { resultTable } from '../../lambdas/api/operations/result-table.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { aBox } from '../support/box.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { compareByGdal, listLayers } from '../support/mirror/compare.ts';
import { PLACES } from '../support/mirror/places.ts';
import {
  connectToSlopeBucket,
  FIELD,
  MAP_FILES,
  NETWORK_PREDICTION,
  WIDE_FIELD,
} from './packs/packs.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

type JobStatus = z.infer<typeof jobStatusResponse>;

async function runJob(model: string, polygon = FIELD): Promise<JobStatus> {
  const body = JSON.stringify({ model, jobs: [{ polygon, year: 2020 }] });
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
  it('is evaluated by ONNX Runtime in the deployed function, for three patch-batches', async () => {
    const job = await runJob('network', WIDE_FIELD);
    expect(job.patch_batches).toHaveLength(3);
    const cells = await cellsOf(job);
    expect(cells.length).toBeGreaterThan(1_000);
    const expected = NETWORK_PREDICTION ?? Number.NaN;
    for (const cell of cells) {
      expect(Math.abs(cell - expected)).toBeLessThanOrEqual(1e-5 * Math.abs(expected));
    }
  });
});

describe('a covariate in another account’s S3 bucket', () => {
  const owner = connectToSlopeBucket({ endpointUrl: service.endpoint_url, region: service.region });
  afterAll(() => owner.close());

  async function failedJob(block: () => Promise<unknown>, unblock: () => Promise<unknown>) {
    await block();
    try {
      const job = await runJob('slope-in-s3');
      expect(job).toMatchObject({ status: 'failed', error_code: 'covariate_unavailable' });
      // Planning a job looks up its covariates.
      expect(job.patch_batches).toEqual([]);
      return job;
    } finally {
      await unblock();
    }
  }
  // S3 distinguishes denied from missing objects only for callers that may list the bucket.
  const unavailable = /covariate "slope" is unavailable: .*(access is denied|no such object)/;

  it("fails the job with the covariate's name while the bucket denies access", async () => {
    const { error_message } = await failedJob(owner.forbid, owner.allow);
    expect(error_message).toMatch(unavailable);
  });

  it("fails the job with the covariate's name while it is missing", async () => {
    const { error_message } = await failedJob(owner.remove, owner.put);
    expect(error_message).toMatch(unavailable);
  });

  it('is read with the function’s role once access is allowed', async () => {
    expect((await cellsOf(await runJob('slope-in-s3'))).length).toBeGreaterThan(100);
  });
});

// Functions trust the map's server only if the setup started their emulator.
describe.skipIf(service.emulator_process_id === null)(
  'a published world map on a grid wider than the Earth, read over HTTPS',
  () => {
    const CELLS = [
      ...[2002, 2007, 2012, 2017, 2022].map((year) => ({ name: 'iowa', year })),
      { name: 'fiji', year: 2022 },
    ];
    const PERIODS: Readonly<Record<number, readonly [number, number]>> = {
      2002: [2000, 2005],
      2007: [2005, 2010],
      2012: [2010, 2015],
      2017: [2015, 2020],
      2022: [2020, 2022],
    };
    const REFUSED = [
      { code: 'outside_coverage', polygon: aBox(20, 80, 20.01, 80.01), year: 2022 },
      { code: 'no_valid_cells', polygon: aBox(10, 22, 10.01, 22.01), year: 2022 },
      { code: 'year_not_covered', polygon: PLACES['iowa'], year: 2023 },
    ];

    it('has the cells that GDAL reads from its layers in each period and place, and each result names its period', async () => {
      const wanted = [
        ...CELLS.map(({ name, year }) => ({ name, year, polygon: PLACES[name] })),
        ...REFUSED.map(({ code, ...job }) => ({ name: code, ...job })),
      ].map((job) => ({ ...job, model: 'openlandmap-soc' }));
      const created = await call('/v1/batch', { body: JSON.stringify({ jobs: wanted }) });
      const batch = `/v1/batch/${spec.created.parse(created.json).batch_id}`;
      const { json } = await eventually(
        () => call(`${batch}/status`),
        ({ json }) => batchStatusResponse.parse(json).completed_at !== null,
      );
      const { jobs } = batchStatusResponse.parse(json);
      const codes = [...CELLS.map(() => null), ...REFUSED.map(({ code }) => code)];
      expect(jobs.map(({ error_code }) => error_code)).toEqual(codes);

      const rows = resultTable.parse((await call(`${batch}/results`)).json).features;
      const found = await compareByGdal(
        CELLS.map(({ name, year }, i) => ({
          url: jobs[i]?.signed_cog_url ?? null,
          layers: listLayers(year, MAP_FILES),
          polygon: PLACES[name],
        })),
      );
      for (const [i, { name, year }] of CELLS.entries()) {
        const what = `${name} ${year}`;
        const [job, row] = [jobs[i], rows[i]];
        const [first, last] = PERIODS[year] ?? [];
        expect(found[i], what).toMatchObject({ differing: 0, data_period: `${first}/${last}` });
        expect(found[i]?.quantiles).toEqual([null, '0.16', '0.84']);
        expect(found[i]?.valid, what).toBeGreaterThan(100);
        expect(job, what).toMatchObject({ data_period: [first, last], summary: { level: 0.68 } });
        expect(job?.summary?.mean, what).toBeCloseTo(found[i]?.mean ?? Number.NaN, 3);
        expect(row?.properties, what).toMatchObject({
          data_period_start: first,
          data_period_end: last,
          level: 0.68,
        });
        const item = await call(`${batch}/jobs/${job?.job_id}/item`);
        expect(item.json, what).toMatchObject({
          properties: { 'soil:data_period': [first, last], 'soil:summary': { level: 0.68 } },
        });
      }
      const means = jobs.slice(0, 5).map(({ summary }) => summary?.mean);
      expect(new Set(means).size).toBe(5);
    });
  },
);
