import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ObjectOperation,
  type SigningCredentials,
  urlPresigner,
} from '../../../lambdas/adapters/s3/presigned-url.ts';
import { SIGNED_URL_SECONDS } from '../../../lambdas/domain/limits.ts';

const BUCKET = 'results-bucket';
const KEY = 'results/0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70/job.tif';
const AT = new Date('2026-03-01T12:00:00.900Z');
const USER = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a+secret/of=mine' };
const ROLE = { ...USER, sessionToken: 'Io+/==%20x' };

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ENDPOINT_URL', '');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', '');
});
afterEach(() => vi.unstubAllEnvs());

function sign(at: Date, credentials: SigningCredentials = USER): Promise<string> {
  const query = { 'response-content-disposition': 'attachment; filename="map.tif"' };
  const options = { at, expiresInSeconds: SIGNED_URL_SECONDS, query };
  return urlPresigner(BUCKET, credentials)(KEY, options);
}

/** The query of a result's URL. S3 sorts the parameters by name before it checks the signature. */
function resultQuery(region: string, signature: string): string {
  return [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD',
    `X-Amz-Credential=AKIAEXAMPLE%2F20260301%2F${region}%2Fs3%2Faws4_request`,
    'X-Amz-Date=20260301T120000Z',
    'X-Amz-Expires=86400',
    `X-Amz-Signature=${signature}`,
    'X-Amz-SignedHeaders=host',
    'response-content-disposition=attachment%3B%20filename%3D%22map.tif%22',
    'x-id=GetObject',
  ].join('&');
}

// The signatures come from an independent implementation of Signature Version 4.
describe('the deterministic URL of a result', () => {
  it.each([
    [
      'eu-central-1',
      'https://results-bucket.s3.eu-central-1.amazonaws.com',
      'e8f0abcacf1ed71381af9a1c1c5e7a5592c2e53e3df3532e739347c7c1b9fbbe',
    ],
    [
      'cn-north-1',
      'https://results-bucket.s3.cn-north-1.amazonaws.com.cn',
      '606174dc48e49c744279902070f6dc64aacdb9ad6619d239ab78c67b1084780c',
    ],
  ])('is on a host of the bucket in %s', async (region, origin, signature) => {
    vi.stubEnv('AWS_REGION', region);
    expect(await sign(AT)).toBe(`${origin}/${KEY}?${resultQuery(region, signature)}`);
  });

  it.each([
    ['http://127.0.0.1:4566', 'bf9fe1fc6905f075115f27ccaa836a7f313ff935e03491f67092887360e9fe22'],
    ['https://127.0.0.1', 'e6f37ab5d82ab65521bede9e29977f540ce83126a47a27ea856339fa31719cc6'],
  ])('names the bucket in the path at the endpoint %s', async (endpoint, signature) => {
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
    const expected = `${endpoint}/${BUCKET}/${KEY}?${resultQuery('eu-central-1', signature)}`;
    expect(await sign(AT)).toBe(expected);
    vi.stubEnv('AWS_ENDPOINT_URL', `${endpoint}/`);
    expect(await sign(AT)).toBe(expected);
  });
});

describe('a request of the function’s own role', () => {
  const cases: readonly (readonly [ObjectOperation, string, Readonly<Record<string, string>>])[] = [
    ['PutObject', '83811638528502c816996200e93ba8f411bb5491330296247ceeb344c3a659c7', {}],
    ['DeleteObject', '6b58033ec467f60490cc49b5345b46962f66d00eaeffe62966ddb6ebd23c9225', {}],
    [
      'AbortMultipartUpload',
      '92a3ed9b1c55d1466c88c07d0644f8ec2428c682487e0c18b18482c8a56ca3ee',
      { uploadId: 'VXBsb2Fk/IElE+for=~' },
    ],
  ];

  it.each(cases)('contains its session token: %s', async (operation, signature, query) => {
    const options = { at: AT, expiresInSeconds: 60, operation, query };
    const url = await urlPresigner(BUCKET, ROLE)(KEY, options);
    const parameters = new URL(url).searchParams;
    expect(parameters.get('X-Amz-Security-Token')).toBe(ROLE.sessionToken);
    expect(parameters.get('X-Amz-Signature')).toBe(signature);
  });
});

it('a URL is signed for the new day when a day ends', async () => {
  const before = await sign(new Date('2026-03-01T23:59:59.999Z'));
  expect(before).toContain('%2F20260301%2F');
  expect(await sign(new Date('2026-03-02T00:00:00.000Z'))).toContain('%2F20260302%2F');
  expect(await sign(new Date('2026-03-01T23:59:59.999Z'))).toBe(before);
});
