import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  bucketAddress,
  objectSigner,
  type SigningCredentials,
} from '../../../lambdas/adapters/s3/presigned-url.ts';

const BUCKET = 'results-bucket';

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ENDPOINT_URL', '');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', '');
});
afterEach(() => vi.unstubAllEnvs());

interface Asked {
  readonly credentials: SigningCredentials;
  readonly key: string;
  readonly at: Date;
  readonly expiresInSeconds: number;
  readonly disposition: string;
}

function ours({ credentials, key, at, expiresInSeconds, disposition }: Asked): string {
  const query = { 'response-content-disposition': disposition };
  return objectSigner(bucketAddress(BUCKET), credentials)(key, { at, expiresInSeconds, query });
}

/** @param place region, and endpoint where there is one, as the variables name them */
function sdks(asked: Asked, place: ConstructorParameters<typeof S3Client>[0]): Promise<string> {
  const { sessionToken, ...credentials } = asked.credentials;
  const client = new S3Client({
    ...place,
    credentials: sessionToken === undefined ? credentials : { ...credentials, sessionToken },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const command = new GetObjectCommand({
    Bucket: BUCKET,
    Key: asked.key,
    ResponseContentDisposition: asked.disposition,
  });
  return getSignedUrl(client, command, {
    expiresIn: asked.expiresInSeconds,
    signingDate: asked.at,
  });
}

const ASKED: Asked = {
  credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a+secret/of=mine' },
  key: 'results/0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70/job.tif',
  at: new Date('2026-03-01T12:00:00.900Z'),
  expiresInSeconds: 86_400,
  disposition: 'attachment; filename="map.tif"',
};

describe('a URL of our own signer is the SDK’s, to the byte', () => {
  it.each(['eu-central-1', 'us-east-1', 'us-gov-west-1', 'cn-north-1'])('in %s', async (region) => {
    vi.stubEnv('AWS_REGION', region);
    expect(ours(ASKED)).toBe(await sdks(ASKED, { region }));
  });

  it.each(['http://127.0.0.1:4566', 'https://127.0.0.1'])(
    'at an endpoint: %s',
    async (endpoint) => {
      vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
      expect(ours(ASKED)).toBe(await sdks(ASKED, { region: 'eu-central-1', endpoint }));
    },
  );

  it('with a session of a role', async () => {
    const asked = { ...ASKED, credentials: { ...ASKED.credentials, sessionToken: 'Io+/==%20x' } };
    expect(ours(asked)).toBe(await sdks(asked, { region: 'eu-central-1' }));
  });

  it('for a write', async () => {
    const { at, expiresInSeconds, key } = ASKED;
    const { accessKeyId, secretAccessKey } = ASKED.credentials;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({
      region: 'eu-central-1',
      credentials,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    const sdk = await getSignedUrl(client, new PutObjectCommand({ Bucket: BUCKET, Key: key }), {
      expiresIn: expiresInSeconds,
      signingDate: at,
    });
    const sign = objectSigner(bucketAddress(BUCKET), credentials);
    expect(sign(key, { operation: 'PutObject', at, expiresInSeconds })).toBe(sdk);
  });

  it('for a raster that is withdrawn', async () => {
    const { at, expiresInSeconds, key, credentials } = ASKED;
    const region = 'eu-central-1';
    const client = new S3Client({ region, credentials: { ...credentials, sessionToken: 'a' } });
    const options = { expiresIn: expiresInSeconds, signingDate: at };
    const UploadId = 'VXBsb2Fk/IElE+for=~';
    const place = { Bucket: BUCKET, Key: key };
    const sign = objectSigner(bucketAddress(BUCKET), { ...credentials, sessionToken: 'a' });
    expect(sign(key, { operation: 'DeleteObject', at, expiresInSeconds })).toBe(
      await getSignedUrl(client, new DeleteObjectCommand(place), options),
    );
    const query = { uploadId: UploadId };
    expect(sign(key, { operation: 'AbortMultipartUpload', at, expiresInSeconds, query })).toBe(
      await getSignedUrl(client, new AbortMultipartUploadCommand({ ...place, UploadId }), options),
    );
  });

  it('for any key, name, secret, time and expiry', async () => {
    const character = fc.constantFrom(...'abz09 !"#$%&\'()*+,-./:;<=>?@[]^_`{|}~äß€𝒳');
    const word = fc.string({ unit: character, minLength: 1, maxLength: 30 });
    const segment = word
      .map((text) => text.replaceAll('/', ''))
      .filter((text) => !/^\.*$/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          credentials: fc.record({
            accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,20}$/),
            secretAccessKey: fc.stringMatching(/^[A-Za-z0-9/+=]{40}$/),
          }),
          key: fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
          at: fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }),
          expiresInSeconds: fc.integer({ min: 1, max: 604_800 }),
          disposition: word,
        }),
        async (asked) => {
          expect(ours(asked)).toBe(await sdks(asked, { region: 'eu-central-1' }));
        },
      ),
      { numRuns: 150 },
    );
  });
});

it('signs for the new day when a day ends', () => {
  const sign = objectSigner(bucketAddress(BUCKET), ASKED.credentials);
  const at = (time: string) => sign('k', { at: new Date(time), expiresInSeconds: 1 });
  const before = at('2026-03-01T23:59:59.999Z');
  const after = at('2026-03-02T00:00:00.000Z');
  expect(before).toContain('%2F20260301%2F');
  expect(after).toContain('%2F20260302%2F');
  expect(at('2026-03-01T23:59:59.999Z')).toBe(before);
});
