import { crc32 } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { stsClientBuckets } from '../../../lambdas/adapters/destination/client-buckets.ts';
import {
  formatExternalId,
  type ServiceTrust,
} from '../../../lambdas/domain/destination/destination.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

const TRUST: ServiceTrust = {
  principal: 'arn:aws:iam::000000000000:root',
  externalIdScope: 'soil-batch/eu-west-1/dev',
  accounts: null,
};
const ACCESS = {
  bucket: 'farm',
  prefix: 'soil',
  role_arn: 'arn:aws:iam::111122223333:role/soil-batch',
  tenant: 'farmer',
};
const OWN_ID = formatExternalId(TRUST, ACCESS.tenant);

const SESSION = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>
<SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const STORED = '<Result><UploadId>id</UploadId></Result>';

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  readonly region?: string;
}

/** The external IDs that a role trusts, and S3's responses with their documented error codes. */
interface Aws {
  readonly trusts?: (externalId: string | null) => boolean;
  readonly s3?: (call: string) => Refusal | null;
  readonly accounts?: ServiceTrust['accounts'];
}

/** The parts of STS and S3 that the emulator lacks, with the requests that they received. */
async function connectTo({
  trusts = (id) => id === OWN_ID,
  s3 = () => null,
  accounts = null,
}: Aws) {
  const policies: unknown[] = [];
  const requests: { call: string; headers: Record<string, unknown>; body: Buffer }[] = [];
  const server = await receiveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const respond = (status: number, text: string, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text);
    const refuse = ({ status, code, message = '', region }: Refusal) =>
      respond(
        status,
        `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
        region === undefined ? {} : { 'x-amz-bucket-region': region },
      );
    if (request.url === '/') {
      const sent = new URLSearchParams(body.toString());
      policies.push(JSON.parse(String(sent.get('Policy'))));
      const error = '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>';
      return trusts(sent.get('ExternalId')) ? respond(200, SESSION) : respond(403, error);
    }
    const query = new URL(request.url ?? '', 'http://s3').searchParams;
    const call = `${request.method} ${query.get('x-id') ?? [...query.keys()].join()}`;
    requests.push({ call, headers: request.headers, body });
    const refusal = s3(call);
    return refusal === null ? respond(200, STORED, { etag: '"e"' }) : refuse(refusal);
  });
  const options = {
    endpoint: server.origin,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'a-secret' },
    maxAttempts: 1,
  };
  const buckets = stsClientBuckets(
    new STSClient(options),
    { ...TRUST, accounts },
    (own) => new S3Client({ ...options, forcePathStyle: true, ...own }),
  );
  return {
    policies,
    requests,
    async check() {
      await using _ = server;
      return await buckets.checkDestination(ACCESS);
    },
    async write(size = 8) {
      await using _ = server;
      const bucket = await buckets.open(ACCESS);
      const read = async (_: number, length: number) => Buffer.alloc(length, 7);
      await bucket.write({ key: 'soil/file', mediaType: 'text/plain', size, read });
    },
  };
}

describe('the check of a destination', () => {
  it('accepts a role that trusts only the external ID of its tenant, and leaves no file', async () => {
    const { check, requests } = await connectTo({});
    expect(await check()).toBeNull();
    expect(requests.map(({ call }) => call)).toEqual([
      'POST uploads',
      'PUT UploadPart',
      'DELETE AbortMultipartUpload',
    ]);
  });

  it.each<[string, NonNullable<Aws['trusts']>]>([
    ['without a condition', () => true],
    ['with any external ID', (id) => id !== null],
    ['with the external ID of any tenant', (id) => id?.startsWith(TRUST.externalIdScope) ?? false],
    ['without an external ID, or with the right one', (id) => id === null || id === OWN_ID],
  ])('refuses a role that can be assumed %s', async (_, trusts) => {
    const { check, requests } = await connectTo({ trusts });
    expect(await check()).toEqual({ step: 'role-open', code: '' });
    expect(requests).toEqual([]);
  });

  it('names the step that fails', async () => {
    const denied = { status: 403, code: 'AccessDenied' };
    const failing = (step: RegExp) => ({ s3: (call: string) => (step.test(call) ? denied : null) });
    const checks = await Promise.all(
      [{ trusts: () => false }, failing(/UploadPart$/), failing(/Abort/)].map(connectTo),
    );
    const failures = await Promise.all(checks.map(({ check }) => check()));
    expect(failures.map((failure) => failure?.step)).toEqual(['role', 'write', 'abort']);
  });
});

describe('a bucket of a client', () => {
  it.each([[[]], [['444455556666']]])(
    'is not written to if its account is not among the allowed ones: %j',
    async (accounts) => {
      const { write, policies } = await connectTo({ accounts });
      await expect(write()).rejects.toMatchObject({ failure: { step: 'account' } });
      expect(policies).toEqual([]);
    },
  );

  it('is written to if its account is among the allowed ones', async () => {
    const { write } = await connectTo({ accounts: ['444455556666', '111122223333'] });
    await write();
  });
});

describe('a refusal by a bucket', () => {
  it.each([
    ['bucket', { status: 404, code: 'NoSuchBucket' }],
    ['region', { status: 301, code: 'PermanentRedirect' }],
    ['write', { status: 403, code: 'AccessDenied' }],
    ['key', { status: 403, code: 'AccessDenied', message: 'not authorized: kms:GenerateDataKey' }],
    ['key', { status: 400, code: 'KMS.DisabledException' }],
  ])('is reported with the refused step: %s', async (step, refusal) => {
    const { write } = await connectTo({ s3: () => refusal });
    await expect(write()).rejects.toMatchObject({ name: 'DestinationRefused', failure: { step } });
  });

  it.each([503, 500, 429])('is a transient failure if its status is %d', async (status) => {
    const { write } = await connectTo({ s3: () => ({ status, code: 'SlowDown' }) });
    await expect(write()).rejects.toMatchObject({ name: 'TransientFailure' });
  });

  it('aborts the upload if it concerns a part', async () => {
    const { write, requests } = await connectTo({
      s3: (call) => (call === 'PUT UploadPart' ? { status: 400, code: 'BadDigest' } : null),
    });
    await expect(write(LARGE)).rejects.toMatchObject({ failure: { step: 'write' } });
    expect(requests.at(-1)?.call).toBe('DELETE AbortMultipartUpload');
  });
});

const PART = 16 * 1024 * 1024;
const LARGE = PART + 5;

describe('a copy', () => {
  it('may only write below the prefix, to a bucket in the account of its role', async () => {
    const { write, policies, requests } = await connectTo({});
    await write();
    expect(requests.map(({ headers }) => headers['x-amz-expected-bucket-owner'])).toEqual([
      '111122223333',
    ]);
    expect(policies).toEqual([
      expect.objectContaining({
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Action: ['s3:PutObject', 's3:AbortMultipartUpload'],
            Resource: 'arn:aws:s3:::farm/soil/*',
          }),
        ]),
      }),
    ]);
  });

  it('sends a large file in parts, for S3 to compare their checksums and the size', async () => {
    const { write, requests } = await connectTo({});
    await write(LARGE);
    const parts = requests.filter(({ call }) => call === 'PUT UploadPart');
    expect(parts.map(({ body }) => body.length)).toEqual([PART, 5]);
    for (const { body, headers } of parts) {
      const sent = Buffer.from(String(headers['x-amz-checksum-crc32']), 'base64').readUInt32BE();
      expect(sent).toBe(crc32(body));
    }
    expect(requests.at(-1)?.headers['x-amz-mp-object-size']).toBe(String(LARGE));
    const owners = requests.map(({ headers }) => headers['x-amz-expected-bucket-owner']);
    expect(owners).toEqual(requests.map(() => '111122223333'));
  });

  it('follows S3 to the Region of the bucket', async () => {
    let isRedirected = false;
    const { write, requests } = await connectTo({
      s3() {
        const redirect = { status: 301, code: 'PermanentRedirect', region: 'ap-south-1' };
        const refusal = isRedirected ? null : redirect;
        isRedirected = true;
        return refusal;
      },
    });
    await write();
    const regions = requests.map(
      ({ headers }) => String(headers['authorization']).split('/').at(2) ?? '',
    );
    expect(regions).toEqual(['eu-west-1', 'ap-south-1']);
  });
});
