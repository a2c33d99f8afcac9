import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { limitsResponse } from '../../../lambdas/api/operations/limits.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import type {
  DestinationAccess,
  DestinationFailure,
  ServiceTrust,
} from '../../../lambdas/domain/destination/destination.ts';
import { destinationKeys } from '../../../lambdas/domain/destination/destination.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { TransientFailure } from '../../../lambdas/domain/step-failure.ts';
import { creationBody, inMemoryService, withIdempotencyKey } from '../../support/api/service.ts';

const ROLE = 'arn:aws:iam::111122223333:role/soil-batch';
const DESTINATION = { bucket: 'farm', prefix: 'soil/2024', role_arn: ROLE };
const withDestination = (members: object = {}, others: object = {}) =>
  creationBody({ destination: { ...DESTINATION, ...members }, ...others });

/** A service that records the destinations that it checks; each check has this outcome. */
function makeService(
  outcome: DestinationFailure | null | Error = null,
  accounts: ServiceTrust['accounts'] = null,
) {
  const checked: DestinationAccess[] = [];
  const made = inMemoryService({
    checkDestination: async (access) => {
      checked.push(access);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    accounts,
  });
  return { ...made, checked };
}

const pointersOf = (body: unknown) => problemBody.parse(body).errors?.map(({ pointer }) => pointer);

describe('the destination of a creation', () => {
  it('is checked for its tenant, and stored with a base URL', async () => {
    const { create, checked, storedBatch } = makeService();
    const created = await create({ body: withDestination() });
    expect(created.status).toBe(202);
    const { tenant } = (await storedBatch(creationResponse.parse(created.body).batch_id)).batch;
    expect(checked).toEqual([expect.objectContaining({ ...DESTINATION, tenant })]);
    const { batch_id } = creationResponse.parse(created.body);
    const { batch } = await storedBatch(batch_id);
    expect(batch.destination).toEqual({ ...DESTINATION, base_url: expect.any(String) });
  });

  it('has a different external ID for each tenant, which the trust policy contains', async () => {
    const { limits } = makeService();
    const [alpha, beta] = await Promise.all(
      ['alpha', 'beta'].map(
        async (tenant) => limitsResponse.parse((await limits({ tenant })).body).destination,
      ),
    );
    expect(alpha?.external_id).not.toBe(beta?.external_id);
    expect(JSON.stringify(alpha?.trust_policy)).toContain(`"${alpha?.external_id}"`);
  });

  it('counts as ten requests, but a repeated creation counts as none', async () => {
    const { create, checked, weights } = makeService();
    await create(withIdempotencyKey('a', withDestination()));
    expect(weights.filter((weight) => weight > 0)).toEqual([10]);
    await create(withIdempotencyKey('a', withDestination()));
    expect(weights.filter((weight) => weight > 0)).toEqual([10]);
    expect(checked).toHaveLength(1);
    expect(
      (await create(withIdempotencyKey('a', withDestination({ prefix: 'other' })))).status,
    ).toBe(409);
  });

  it.each([
    ['role-open', 'role_arn'],
    ['role', 'role_arn'],
    ['bucket', 'bucket'],
    ['region', 'bucket'],
    ['write', 'role_arn'],
    ['abort', 'role_arn'],
    ['key', 'role_arn'],
  ] as const)(
    'gets 422 if its check fails at the step %s; only the request rate is charged, and nothing is stored',
    async (step, field) => {
      const { create, list, usage, weights, writes } = makeService({
        step,
        code: 'AccessDenied',
      });
      const before = { usage: (await usage()).body, writes: writes.count };
      const { status, body } = await create(withIdempotencyKey('a', withDestination()));
      expect(status).toBe(422);
      expect(pointersOf(body)).toEqual([`/destination/${field}`]);
      expect((await list()).body).toMatchObject({ batches: [] });
      expect({ usage: (await usage()).body, writes: writes.count }).toEqual(before);
      expect(weights.filter((weight) => weight > 0)).toEqual([10]);
    },
  );

  it.each([
    ['names the allowed accounts', ['444455556666', '777788889999'], '/destination/role_arn'],
    ['concerns the whole destination, because none is allowed', [], '/destination'],
  ])(
    'is rejected if the operator does not allow its account; the error %s',
    async (_, accounts, pointer) => {
      const { create, checked } = makeService(null, accounts);
      const { status, body } = await create({ body: withDestination() });
      expect(status).toBe(422);
      expect(pointersOf(body)).toEqual([pointer]);
      const [violation] = problemBody.parse(body).errors ?? [];
      for (const account of accounts) expect(violation?.message).toContain(account);
      expect(checked).toEqual([]);
      expect((await create({ body: creationBody() })).status).toBe(202);
    },
  );

  it('is accepted in an account that the operator allows', async () => {
    const { create } = makeService(null, ['111122223333']);
    expect((await create({ body: withDestination() })).status).toBe(202);
  });

  it('gets 503 if it cannot be checked now', async () => {
    const { create } = makeService(new TransientFailure('SlowDown'));
    expect((await create({ body: withDestination() })).status).toBe(503);
  });

  const longest = `${'p/'.repeat(LIMITS.prefixCharacters / 2 - 1)}pp`;

  it.each([
    ['a prefix with special characters', { prefix: 'Soil_2024/a-b.c=d!e/' }],
    ['no prefix', { prefix: null }],
    ['the longest prefix', { prefix: longest }],
    ['a bucket with dots', { bucket: 'a.b-c.9' }],
    ['a role with a path', { role_arn: 'arn:aws:iam::111122223333:role/a/b/c+=,.@-d' }],
  ])('is accepted with %s', async (_, members) => {
    const { create, checked } = makeService();
    expect((await create({ body: withDestination(members) })).status).toBe(202);
    expect(checked[0]?.prefix.endsWith('/')).toBe(false);
  });

  it('has keys within S3’s limit even with the longest prefix', () => {
    const batchId = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
    const { folder, raster, item, ...tables } = destinationKeys({ prefix: longest }, batchId);
    const jobId = jobIdOf(batchId, 999);
    for (const key of [folder, raster(jobId), item(jobId), ...Object.values(tables)]) {
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1_024);
    }
  });

  it.each([
    ['no bucket', { bucket: undefined }, 'bucket'],
    ['the ARN of a bucket', { bucket: 'arn:aws:s3:::farm' }, 'bucket'],
    ['an access point', { bucket: 'arn:aws:s3:eu-west-1:111122223333:accesspoint/a' }, 'bucket'],
    ['a directory bucket', { bucket: 'farm--use1-az4--x-s3' }, 'bucket'],
    ['an alias', { bucket: 'farm-e0b1d075431d83bebde8xz5w8ijx1qzlbp-s3alias' }, 'bucket'],
    ['an access point of an outpost', { bucket: 'farm--op-s3' }, 'bucket'],
    ['an access point of several Regions', { bucket: 'farm.mrap' }, 'bucket'],
    ['an IP address', { bucket: '192.168.5.4' }, 'bucket'],
    ['a bucket with capitals', { bucket: 'Farm' }, 'bucket'],
    ['a bucket with a path', { bucket: 'farm/soil' }, 'bucket'],
    ['a bucket with a port', { bucket: 'farm:80' }, 'bucket'],
    ['a bucket with adjacent dots', { bucket: 'a..b' }, 'bucket'],
    ['a short bucket', { bucket: 'ab' }, 'bucket'],
    ['a long bucket', { bucket: 'a'.repeat(64) }, 'bucket'],
    ['a prefix that begins with a slash', { prefix: '/soil' }, 'prefix'],
    ['an empty prefix', { prefix: '' }, 'prefix'],
    ['a prefix with two dots', { prefix: 'soil/../other' }, 'prefix'],
    ['a prefix of a dot', { prefix: '.' }, 'prefix'],
    ['a prefix with an empty part', { prefix: 'soil//2024' }, 'prefix'],
    ['a wildcard', { prefix: 'soil*' }, 'prefix'],
    ['a policy variable', { prefix: `\${aws:username}` }, 'prefix'],
    ['a line break', { prefix: 'soil\n' }, 'prefix'],
    ['letters beyond ASCII', { prefix: 'Äcker' }, 'prefix'],
    ['a prefix that is too long', { prefix: `${longest}p` }, 'prefix'],
    ['no role', { role_arn: undefined }, 'role_arn'],
    ['the name of a role', { role_arn: 'soil-batch' }, 'role_arn'],
    ['a user', { role_arn: 'arn:aws:iam::111122223333:user/soil-batch' }, 'role_arn'],
    ['a session', { role_arn: 'arn:aws:sts::111122223333:assumed-role/a/b' }, 'role_arn'],
    ['a role of the service', { role_arn: 'arn:aws:iam::000000000000:role/a' }, 'role_arn'],
    ['a role of another partition', { role_arn: ROLE.replace('aws', 'aws-cn') }, 'role_arn'],
    ['a role with a line break', { role_arn: `${ROLE}\n` }, 'role_arn'],
    ['a role that is too long', { role_arn: `${ROLE}${'a'.repeat(64)}` }, 'role_arn'],
    ['an unknown field', { region: 'eu-west-1' }, 'region'],
  ])('is rejected with %s before AWS is asked', async (_, members, field) => {
    const { create, checked } = makeService();
    const { status, body } = await create({ body: withDestination(members) });
    expect(status).toBe(422);
    expect(pointersOf(body)).toEqual([`/destination/${field}`]);
    expect(checked).toEqual([]);
  });
});

describe('POST /v1/batch/{batch_id}/destination', () => {
  const request = (batchId: string, tenant?: string) => ({
    path: `/v1/batch/${batchId}/destination`,
    parameters: { batch_id: batchId },
    ...(tenant === undefined ? {} : { tenant }),
  });

  it('responds 404 for another tenant’s batch, and 409 for a batch that is unfinished or has no destination', async () => {
    const { create, read } = makeService();
    const idOf = async (body: string) =>
      creationResponse.parse((await create({ body })).body).batch_id;
    const unfinished = await idOf(withDestination());
    expect((await read('copy-results', request(unfinished, 'beta'))).status).toBe(404);
    expect((await read('copy-results', request(unfinished))).status).toBe(409);
    expect((await read('copy-results', request(await idOf(creationBody())))).status).toBe(409);
  });

  it('counts as 20 requests for a batch of 200 jobs', async () => {
    const { create, read, stores, weights } = makeService();
    const { jobs } = JSON.parse(creationBody());
    const body = withDestination({}, { jobs: Array.from({ length: 200 }, () => jobs[0]) });
    const { batch_id } = creationResponse.parse((await create({ body })).body);
    const at = '2026-03-04T05:07:00.000Z';
    const end = { status: 'failed', completed_at: at, updated_at: at, completed_jobs: 0 } as const;
    await stores.batches.finish(batch_id, end, null);
    await stores.copies.recordFailure(batch_id, { step: 'write', code: '' }, 0);
    expect((await read('copy-results', request(batch_id))).status).toBe(202);
    expect(weights.at(-1)).toBe(19);
  });
});
