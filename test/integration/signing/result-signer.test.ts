import { text } from 'node:stream/consumers';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatKey } from '../../../lambdas/adapters/signing-key/key-vault.ts';
import { resultSigner } from '../../../lambdas/adapters/signing-key/result-signer.ts';
import { addSeconds, type Timestamp } from '../../../lambdas/domain/clock.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { SigningKeyUnavailable } from '../../../lambdas/domain/job/reading/result-signer.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

const BATCH = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70';
const JOB = jobIdOf(BATCH, 0);
const FILE = 'b_field_2024.tif';
const NOW = '2026-03-01T12:00:00.900Z';
const MINUTE = 60;

/** The values in Secrets Manager, by stage; a stage without a value does not exist. */
const held = new Map<string, string>();
/** The status of every response, unless null. */
let failing: number | null = null;
let reads = 0;
let now: Timestamp = NOW;

/** Responds to `GetSecretValue` in the service's JSON protocol. */
const service = await receiveHttp(async (request, response) => {
  reads += 1;
  const { VersionStage } = JSON.parse(await text(request)) as { VersionStage: string };
  const SecretString = held.get(VersionStage);
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  if (failing !== null)
    response.writeHead(failing).end(JSON.stringify({ __type: 'InternalServiceError' }));
  else if (SecretString === undefined) {
    response.writeHead(400).end(JSON.stringify({ __type: 'ResourceNotFoundException' }));
  } else {
    response.end(JSON.stringify({ SecretString }));
  }
});

const endpoint = service.origin;

afterAll(() => service[Symbol.asyncDispose]());

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  held.clear();
  failing = null;
  reads = 0;
  now = NOW;
});
afterEach(() => vi.unstubAllEnvs());

function hold(stage: 'AWSCURRENT' | 'AWSPREVIOUS', keyId: string, createdAt: Timestamp) {
  held.set(stage, formatKey({ keyId, secret: 'a-secret', createdAt }));
}

function signer() {
  const credentials = { accessKeyId: 'AKIAROLE', secretAccessKey: 'role' };
  return resultSigner({
    secrets: new SecretsManagerClient({ endpoint, region: 'eu-west-1', credentials }),
    secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:signing',
    bucket: 'results-bucket',
    clock: () => new Date(now),
  });
}

async function findUsedKey(): Promise<string | undefined> {
  const { url } = await signer().sign(BATCH, JOB, FILE);
  return new URL(url).searchParams.get('X-Amz-Credential')?.split('/')[0];
}

describe('a result’s URL', () => {
  it('names its object, is valid for 24 hours and states when it expires', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const { url, createdAt, expiresAt } = await signer().sign(BATCH, JOB, FILE);
    const { pathname, searchParams } = new URL(url);
    expect(pathname).toMatch(new RegExp(`/results/${BATCH}/${JOB}\\.tif$`));
    expect(searchParams.get('X-Amz-Date')).toBe('20260301T120000Z');
    expect(searchParams.get('X-Amz-Expires')).toBe('86400');
    expect(createdAt).toBe('2026-03-01T12:00:00.000Z');
    expect(expiresAt).toBe('2026-03-02T12:00:00.000Z');
  });

  it('is at S3, or at the address where the emulator serves results', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const originOf = async () => new URL((await signer().sign(BATCH, JOB, FILE)).url).origin;
    vi.stubEnv('AWS_ENDPOINT_URL', '');
    expect(await originOf()).toBe('https://results-bucket.s3.eu-west-1.amazonaws.com');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
    vi.stubEnv('RESULTS_ENDPOINT_URL', 'http://localhost:4566');
    expect(await originOf()).toBe('http://localhost:4566');
  });

  it('contains no session token, which would make it expire early', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const { url } = await signer().sign(BATCH, JOB, FILE);
    expect(url).not.toContain('X-Amz-Security-Token');
    expect(url).not.toContain('a-secret');
  });

  it('names the download after its batch and job', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const { url } = await signer().sign(BATCH, JOB, FILE);
    expect(new URL(url).searchParams.get('response-content-disposition')).toBe(
      'attachment; filename="b_field_2024.tif"',
    );
  });

  it('signs only the host header, so that any client can read it by range', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const { searchParams } = new URL((await signer().sign(BATCH, JOB, FILE)).url);
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect([...searchParams.keys()].filter((name) => name.includes('checksum'))).toEqual([]);
  });
});

describe('the key that signs', () => {
  it('is the previous key while the current key is younger than ten minutes', async () => {
    hold('AWSPREVIOUS', 'AKIAPREVIOUS0001', '2026-01-01T00:00:00.000Z');
    hold('AWSCURRENT', 'AKIACURRENT00001', addSeconds(NOW, -10 * MINUTE + 1));
    expect(await findUsedKey()).toBe('AKIAPREVIOUS0001');
  });

  it('is the current key once it is ten minutes old', async () => {
    hold('AWSPREVIOUS', 'AKIAPREVIOUS0001', '2026-01-01T00:00:00.000Z');
    hold('AWSCURRENT', 'AKIACURRENT00001', addSeconds(NOW, -10 * MINUTE));
    expect(await findUsedKey()).toBe('AKIACURRENT00001');
  });

  it('is the current key immediately if there is no previous key', async () => {
    held.set('AWSPREVIOUS', 'what the secret was deployed with');
    hold('AWSCURRENT', 'AKIACURRENT00001', NOW);
    expect(await findUsedKey()).toBe('AKIACURRENT00001');
  });

  it.each([
    ['the secret contains its first value', 'no key at all'],
    ['the secret contains JSON that is not a key', '{"access_key_id":1}'],
    ['the secret is empty', null],
  ])('is unavailable if %s', async (_case, value) => {
    if (value !== null) held.set('AWSCURRENT', value);
    await expect(signer().sign(BATCH, JOB, FILE)).rejects.toThrow(SigningKeyUnavailable);
  });

  it('is unavailable while Secrets Manager is down, and available afterwards', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const { sign } = signer();
    failing = 500;
    await expect(sign(BATCH, JOB, FILE)).rejects.toThrow(SigningKeyUnavailable);
    failing = null;
    await expect(sign(BATCH, JOB, FILE)).resolves.toMatchObject({ createdAt: expect.any(String) });
  });

  it('fails permanently if access is denied', async () => {
    failing = 403;
    await expect(signer().sign(BATCH, JOB, FILE)).rejects.not.toThrow(SigningKeyUnavailable);
  });

  it('is read once for many URLs, and again after five minutes', async () => {
    hold('AWSCURRENT', 'AKIACURRENT00001', '2026-01-01T00:00:00.000Z');
    const { sign } = signer();
    await Promise.all([sign(BATCH, JOB, FILE), sign(BATCH, JOB, FILE), sign(BATCH, JOB, FILE)]);
    expect(reads).toBe(1);
    now = addSeconds(NOW, 5 * MINUTE);
    await sign(BATCH, JOB, FILE);
    expect(reads).toBe(2);
  });

  it('is read again immediately if there was no key', async () => {
    const { sign } = signer();
    await expect(sign(BATCH, JOB, FILE)).rejects.toThrow(SigningKeyUnavailable);
    hold('AWSCURRENT', 'AKIACURRENT00001', NOW);
    await expect(sign(BATCH, JOB, FILE)).resolves.toMatchObject({ createdAt: expect.any(String) });
  });
});
