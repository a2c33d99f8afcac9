import { fromArrayBuffer } from 'geotiff';
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { jobStatusResponse } from '../../lambdas/api/definitions/jobs.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { aBox } from '../support/box.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { FIELD, NETWORK_PREDICTION, slopesOwner } from './packs/packs.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

type JobStatus = z.infer<typeof jobStatusResponse>;

/** Runs one job with the model to its end. */
async function jobOn(model: string, polygon = FIELD): Promise<JobStatus> {
  const body = JSON.stringify({ model, jobs: [{ polygon, year: 2020 }] });
  const created = spec.created.parse((await call('/v1/batch', { body })).json);
  const job = `/v1/batch/${created.batch_id}/jobs/${created.job_ids['0']}/status`;
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

describe('a second real pack, of another property and unit', () => {
  // A square kilometre near La Chaux-de-Fonds.
  const fields = aBox(6.85, 47.13, 6.863, 47.139);

  it('predicts for a job that names it', async () => {
    const job = await jobOn('jura-cobalt', fields);
    const cells = await cellsOf(job);
    expect(cells.length).toBeGreaterThan(200);
    // The samples lie from 1.55 to 17.7 mg/kg.
    expect(Math.min(...cells)).toBeGreaterThan(1.5);
    expect(Math.max(...cells)).toBeLessThan(18);
    expect(job.summary).toMatchObject({ unit: 'mg/kg', stock: null });
    expect(job.summary?.lower).toBeLessThan(job.summary?.mean ?? 0);
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
