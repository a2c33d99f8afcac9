import { randomUUID } from 'node:crypto';
import { CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { iamKeyIssuer } from '../../lambdas/adapters/signing-key/access-keys.ts';
import { s3KeyProbe } from '../../lambdas/adapters/signing-key/key-probe.ts';
import { secretKeyVault } from '../../lambdas/adapters/signing-key/key-vault.ts';
import { resultSigner } from '../../lambdas/adapters/signing-key/result-signer.ts';
import { addSeconds, timestamp } from '../../lambdas/domain/clock.ts';
import { jobIdOf, newBatchId } from '../../lambdas/domain/identity.ts';
import { SigningKeyUnavailable } from '../../lambdas/domain/job/reading/result-signer.ts';
import {
  ensureFirstKey,
  removeAllKeys,
  revokeKeys,
} from '../../lambdas/domain/signing/issue-signing-key.ts';
import {
  ROTATION_STEPS,
  removeReplacedKeys,
  rotateKey,
} from '../../lambdas/domain/signing/rotate-key.ts';
import { type SigningPorts, TwoKeysNeeded } from '../../lambdas/domain/signing/signing-key.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';

const { endpoint_url: endpoint, region } = inject('service');
const options = { endpoint, region, credentials: ROOT_CREDENTIALS };
const secrets = new SecretsManagerClient(options);
const iam = new IAMClient(options);
const s3 = new S3Client({ ...options, forcePathStyle: true });

const BATCH = newBatchId(new Date());
const JOB = jobIdOf(BATCH, 0);
const bucket = `signed-${randomUUID()}`;

beforeAll(async () => {
  // Clients that the code creates find the emulator through these variables.
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  vi.stubEnv('AWS_REGION', region);
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const Key = `results/${BATCH}/${JOB}.tif`;
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'II*\0 a raster' }));
});
afterAll(() => vi.unstubAllEnvs());

const UserName = `signer-${randomUUID()}`;
const issuer = iamKeyIssuer(iam, UserName);
const probe = s3KeyProbe(bucket);

describe('the key of the signing user, from creation to deletion', () => {
  let secretArn = '';
  let aheadSeconds = 0;

  beforeAll(async () => {
    await iam.send(new CreateUserCommand({ UserName }));
    const Resource = `arn:aws:s3:::${bucket}/results/*`;
    const Statement = [{ Effect: 'Allow', Action: 's3:GetObject', Resource }];
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    await iam.send(
      new PutUserPolicyCommand({ UserName, PolicyName: 'read-results', PolicyDocument }),
    );
    const { ARN } = await secrets.send(
      new CreateSecretCommand({ Name: `signing-${randomUUID()}` }),
    );
    secretArn = ARN ?? '';
  });

  function ports(): SigningPorts {
    return {
      vault: secretKeyVault(secrets, secretArn),
      issuer,
      probe,
      now: () => addSeconds(timestamp(new Date()), aheadSeconds),
      pause: async () => undefined,
    };
  }

  function signed(method: 'GET' | 'HEAD' = 'GET') {
    const { sign } = resultSigner({ secrets, secretArn, bucket });
    return sign(BATCH, JOB, 'b_field_2024.tif', method);
  }

  it('does not exist before the deployment creates it', async () => {
    await expect(signed()).rejects.toThrow(SigningKeyUnavailable);
  });

  it('is not accepted if IAM did not issue it', async () => {
    const createdAt = timestamp(new Date());
    const key = { keyId: 'AKIAMADEUPMADEUP0000', secret: 'made up', createdAt };
    expect(await probe.check(key)).toMatchObject({ accepted: false });
  });

  it('signs URLs that serve ranges once it exists', async () => {
    await ensureFirstKey(ports(), randomUUID());
    const { url } = await signed();
    const response = await fetch(url, { headers: { range: 'bytes=0-1' } });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe('II');
    expect(response.headers.get('content-disposition')).toContain('b_field_2024.tif');
    expect((await fetch(url.replace('_field_', '_other_'))).status).toBe(403);
    const head = await signed('HEAD');
    expect((await fetch(head.url, { method: 'HEAD' })).headers.get('content-length')).toBe('13');
  });

  it('is rotated in four steps while URLs of the previous key still work', async () => {
    const { url } = await signed();
    const token = randomUUID();
    for (const step of ROTATION_STEPS) {
      await rotateKey(ports(), step, token);
      await rotateKey(ports(), step, token);
    }
    expect(await issuer.list()).toHaveLength(2);
    expect((await fetch(url)).status).toBe(200);
    // Signers still use the previous key for ten minutes after a rotation.
    const keyOf = (text: string) => new URL(text).searchParams.get('X-Amz-Credential');
    expect(keyOf((await signed()).url)).toBe(keyOf(url));
  });

  it('is not rotated again while both keys are needed', async () => {
    const third = rotateKey(ports(), 'createSecret', randomUUID());
    await expect(third).rejects.toThrow(TwoKeysNeeded);
  });

  it('can be revoked within 25 hours of its replacement; its URLs then fail, and new URLs work', async () => {
    const { url } = await signed();
    await revokeKeys(ports(), randomUUID());
    expect((await fetch(url)).status).toBe(403);
    expect(await issuer.list()).toHaveLength(1);
    expect((await fetch((await signed()).url)).status).toBe(200);
    const token = randomUUID();
    for (const step of ROTATION_STEPS) await rotateKey(ports(), step, token);
    expect(await issuer.list()).toHaveLength(2);
  });

  it('is deleted 25 hours after its replacement, and its URLs stop working', async () => {
    const { url } = await signed();
    aheadSeconds = 25 * 3_600 - 60;
    await removeReplacedKeys(ports());
    expect((await fetch(url)).status).toBe(200);
    aheadSeconds = 25 * 3_600 + 5;
    await removeReplacedKeys(ports());
    expect(await issuer.list()).toHaveLength(1);
    expect((await fetch(url)).status).toBe(403);
  });

  it('is deleted when the stack is deleted, and another key can be created', async () => {
    await removeAllKeys(ports());
    expect(await issuer.list()).toEqual([]);
    await expect(signed()).rejects.toThrow(SigningKeyUnavailable);
    await ensureFirstKey(ports(), randomUUID());
    expect((await fetch((await signed()).url)).status).toBe(200);
  });
});
