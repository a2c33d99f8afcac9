import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import * as z from 'zod/mini';
import { batchStatusResponse } from '../../lambdas/api/operations/batch-status.ts';
import { limitsResponse } from '../../lambdas/api/operations/limits.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { clientAccount, destinationPolicy } from '../support/deployed/client-account.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../support/deployed/jobs.ts';
import { newTenant } from '../support/deployed/new-tenant.ts';

const service = inject('service');
const PREFIX = 'farms/2024';
const tileReport = z.object({ cell: z.number(), lowest: z.number(), highest: z.number() });

/** A tenant with an account, a bucket and a role, set up as a new user would: from the response of `GET /v1/limits`. */
async function newClient(name: string, accountId: string, { baseUrl = service.v2_url } = {}) {
  const call = httpClient(baseUrl, await newTenant(name));
  const account = clientAccount(service, accountId);
  const bucket = `${name}-${accountId}`;
  await account.createBucket(bucket);
  const limits = limitsResponse.parse((await call('/v1/limits')).json);
  const trust = limits.destination.trust_policy;
  const policy = destinationPolicy(bucket, PREFIX);
  const roleArn = await account.createRole('soil-batch', trust, policy);
  const destination = { bucket, prefix: PREFIX, role_arn: roleArn };
  const create = (members: object = {}, jobs: readonly object[] = [SEVERAL_PATCH_BATCHES]) =>
    call('/v1/batch', {
      body: JSON.stringify({ jobs, destination: { ...destination, ...members } }),
    });
  const statusOf = async (batchId: string) =>
    batchStatusResponse.parse((await call(`/v1/batch/${batchId}/status`)).json);
  return { call, account, bucket, trust, policy, roleArn, destination, create, statusOf };
}

type Status = Awaited<ReturnType<Awaited<ReturnType<typeof newClient>>['statusOf']>>;

const isCopied = ({ completed_at, destination }: Status) =>
  completed_at !== null && destination?.status !== 'pending';

describe.each([
  { deployment: 'v1', baseUrl: service.v1_url, accountId: '111111111111' },
  { deployment: 'v2', baseUrl: service.v2_url, accountId: '222222222222' },
])('a bucket of another account, on $deployment', ({ deployment, baseUrl, accountId }) => {
  it('holds the rasters, Items and tables of a batch byte for byte', async () => {
    const client = await newClient(`copies-${deployment}`, accountId, { baseUrl });
    const { account, bucket, call } = client;
    const bowTie = { polygon: { type: 'Polygon', coordinates: [] }, year: 2024 };
    const created = await client.create({}, [SEVERAL_PATCH_BATCHES, bowTie]);
    const { batch_id: batchId } = spec.created.parse(created.json);
    const status = await eventually(() => client.statusOf(batchId), isCopied);
    const folder = `s3://${bucket}/${PREFIX}/${batchId}`;
    expect(status.destination).toEqual({ status: 'copied', uri: `${folder}/`, error: null });
    const [job, failed] = status.jobs;
    if (!job?.signed_cog_url || !job.item_url) throw new Error('the job has no result');
    const uri = `${folder}/${job.job_id}.tif`;
    expect(job.destination).toEqual({ status: 'copied', uri, error: null });
    expect(failed?.destination).toBeUndefined();
    expect(await account.listKeys(bucket)).toEqual(
      [`${job.job_id}.json`, `${job.job_id}.tif`, 'results.csv', 'results.geojson']
        .map((name) => `${PREFIX}/${batchId}/${name}`)
        .sort(),
    );
    expect(await account.countUploads(bucket)).toBe(0);

    const original = await fetch(job.signed_cog_url);
    const copy = await account.read(uri);
    expect(copy.bytes.equals(Buffer.from(await original.arrayBuffer()))).toBe(true);
    expect(copy.type).toBe(original.headers.get('content-type'));

    const item = (await call(`/v1/batch/${batchId}/jobs/${job.job_id}/item`)).text;
    const itemUri = uri.replace('.tif', '.json');
    const moved = item
      .replace(`"rel":"self","href":"${job.item_url}"`, `"rel":"self","href":"${itemUri}"`)
      .replace(`"href":"${job.result_url}"`, `"href":"${uri}"`);
    expect(moved).not.toBe(item);
    expect((await account.read(itemUri)).bytes.toString()).toBe(moved);

    for (const format of ['csv', 'geojson']) {
      const table = await call(`/v1/batch/${batchId}/results?format=${format}`);
      const copied = await account.read(`${folder}/results.${format}`);
      expect(copied.bytes.toString()).toBe(table.text);
      expect(copied.type).toBe(table.headers.get('content-type'));
      expect(table.text).toContain(uri);
    }

    const { stdout } = await promisify(execFile)(
      '.local/venv/bin/python',
      ['test/e2e/check_tile.py', folder, job.job_id, job.signed_cog_url],
      { env: { ...account.environment, CPL_VSIL_CURL_USE_HEAD: 'NO' } },
    );
    const { cell, lowest, highest } = tileReport.parse(JSON.parse(stdout));
    expect(lowest).toBeCloseTo(cell, 4);
    expect(highest).toBeCloseTo(cell, 4);
  });
});

describe('a destination is refused', async () => {
  const client = await newClient('attacker', '333333333333');
  const victim = await newClient('victim', '444444444444');
  const { account, trust, bucket } = client;
  const [statement] = Array.from(Object(trust)['Statement']);
  const trustOn = (Condition: object | undefined) => ({
    ...trust,
    Statement: [{ ...Object(statement), Condition }],
  });
  const rights = (action: string) => ({
    ...client.policy,
    Statement: [{ Effect: 'Allow', Action: action, Resource: `arn:aws:s3:::${bucket}/*` }],
  });
  const open = await account.createRole('open', trustOn(undefined), client.policy);
  const anyId = trustOn({ StringLike: { 'sts:ExternalId': '*' } });
  const anyTenant = await account.createRole('any-tenant', anyId, client.policy);
  const noAbort = await account.createRole('no-abort', trust, rights('s3:PutObject'));
  const anyBucket = await account.createRole('any-bucket', trust, destinationPolicy('*', PREFIX));
  const noWrite = await account.createRole('no-write', trust, rights('s3:AbortMultipartUpload'));

  it.each([
    ['with a role of the service', { role_arn: 'arn:aws:iam::000000000000:role/any' }, 'role_arn'],
    ['with the role of another tenant', { role_arn: victim.roleArn }, 'role_arn'],
    ['with the role and bucket of another tenant', victim.destination, 'role_arn'],
    ['with the bucket of another tenant', { bucket: victim.bucket }, 'role_arn'],
    ['with a role that needs no external ID', { role_arn: open }, 'role_arn'],
    ['with a role that accepts any external ID', { role_arn: anyTenant }, 'role_arn'],
    ['with a role that does not exist', { role_arn: account.roleArn('none') }, 'role_arn'],
    ['with a role that may not write', { role_arn: noWrite }, 'role_arn'],
    ['with a role that may not abort', { role_arn: noAbort }, 'role_arn'],
    ['with a prefix that the role may not use', { prefix: 'others' }, 'role_arn'],
    [
      'with a bucket that does not exist',
      { bucket: 'no-such-bucket-anywhere', role_arn: anyBucket },
      'bucket',
    ],
  ])('%s', async (_, members, field) => {
    const { status, json } = await client.create(members);
    expect(status).toBe(422);
    const pointers = spec.problem.parse(json).errors?.map(({ pointer }) => pointer);
    expect(pointers).toEqual([`/destination/${field}`]);
    expect(await victim.account.listKeys(victim.bucket)).toEqual([]);
  });

  it('and nothing is written to it', async () => {
    expect(await account.listKeys(bucket)).toEqual([]);
  });
});

describe('a role that is deleted while a batch with its destination runs', () => {
  it('fails no job; once the role is back, a request copies the missing results', async () => {
    const client = await newClient('deleted-role', '555555555555');
    const { account, bucket, call } = client;
    const jobs = Array.from({ length: 3 }, () => SEVERAL_PATCH_BATCHES);
    const created = await client.create({}, jobs);
    const { batch_id: batchId } = spec.created.parse(created.json);
    await account.deleteRole('soil-batch');
    const status = await eventually(() => client.statusOf(batchId), isCopied);
    expect(status.status).toBe('completed');
    expect(status.destination?.status).toBe('failed');
    expect(status.jobs.map(({ destination }) => destination?.status)).toContain('failed');

    const request = () => call(`/v1/batch/${batchId}/destination`, { method: 'POST' });
    await account.createRole('soil-batch', client.trust, client.policy);
    expect((await request()).status).toBe(202);
    expect((await request()).status).toBe(409);
    const copied = await eventually(() => client.statusOf(batchId), isCopied);
    expect(copied.jobs.map(({ destination }) => destination?.status)).toEqual(
      jobs.map(() => 'copied'),
    );
    expect(await account.listKeys(bucket)).toHaveLength(2 * jobs.length + 2);
    expect((await request()).status).toBe(409);
  });
});
