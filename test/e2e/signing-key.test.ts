import { randomUUID } from 'node:crypto';
import { CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { s3ResultSigner } from '../../lambdas/adapters/s3/result-signer.ts';
import { iamKeyIssuer } from '../../lambdas/adapters/signing-key/key-issuer.ts';
import { s3KeyProbe } from '../../lambdas/adapters/signing-key/key-probe.ts';
import { secretKeyVault } from '../../lambdas/adapters/signing-key/key-vault.ts';
import { addSeconds, timestamp } from '../../lambdas/domain/clock.ts';
import { jobIdOf, newBatchId } from '../../lambdas/domain/identity.ts';
import { SigningKeyUnavailable } from '../../lambdas/domain/job/reading/result-signer.ts';
import { ensureFirstKey, revokeKeys } from '../../lambdas/domain/signing/issue-key.ts';
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
const names = { bucket: `signed-${randomUUID()}`, user: `signer-${randomUUID()}` };
let secretArn = '';
let aheadSeconds = 0;

/** Real services, and a clock that the test can advance. */
function ports(): SigningPorts {
  return {
    vault: secretKeyVault(secrets, secretArn),
    issuer: iamKeyIssuer(iam, names.user),
    probe: s3KeyProbe(names.bucket),
    now: () => addSeconds(timestamp(new Date()), aheadSeconds),
    pause: async () => undefined,
  };
}

/** Signs with a new signer, without a cached key. */
function signed() {
  return s3ResultSigner({ secrets, secretArn, bucket: names.bucket }).sign(
    BATCH,
    JOB,
    'b_field_2024.tif',
  );
}

beforeAll(async () => {
  // Clients that the code creates itself find the emulator by these.
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  vi.stubEnv('AWS_REGION', region);
  const { ARN } = await secrets.send(new CreateSecretCommand({ Name: `signing-${randomUUID()}` }));
  secretArn = ARN ?? '';
  await s3.send(new CreateBucketCommand({ Bucket: names.bucket }));
  const Key = `results/${BATCH}/${JOB}.tif`;
  await s3.send(new PutObjectCommand({ Bucket: names.bucket, Key, Body: 'II*\0 a raster' }));
  await iam.send(new CreateUserCommand({ UserName: names.user }));
  const Resource = `arn:aws:s3:::${names.bucket}/results/*`;
  const Statement = [{ Effect: 'Allow', Action: 's3:GetObject', Resource }];
  await iam.send(
    new PutUserPolicyCommand({
      UserName: names.user,
      PolicyName: 'read-results',
      PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement }),
    }),
  );
});
afterAll(() => vi.unstubAllEnvs());

describe('the signing key, from its first to its replacement', () => {
  it('does not exist before the deployment creates it', async () => {
    await expect(signed()).rejects.toThrow(SigningKeyUnavailable);
  });

  it('is not accepted if IAM did not issue it', async () => {
    const createdAt = timestamp(new Date());
    const invented = { accessKeyId: 'AKIAMADEUPMADEUP0000', secretAccessKey: 'made up', createdAt };
    expect(await ports().probe.check(invented)).toMatchObject({ accepted: false });
  });

  it('signs URLs that serve ranges once it exists', async () => {
    await ensureFirstKey(ports(), randomUUID());
    const { url } = await signed();
    const response = await fetch(url, { headers: { range: 'bytes=0-1' } });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe('II');
    expect(response.headers.get('content-disposition')).toContain('b_field_2024.tif');
  });

  it('is rotated in four steps while URLs of the previous key still work', async () => {
    const { url } = await signed();
    const token = randomUUID();
    for (const step of ROTATION_STEPS) {
      await rotateKey(ports(), step, token);
      await rotateKey(ports(), step, token);
    }
    expect(await ports().issuer.list()).toHaveLength(2);
    expect((await fetch(url)).status).toBe(200);
    // For ten minutes signers use the previous key.
    const keyOf = (text: string) => new URL(text).searchParams.get('X-Amz-Credential');
    expect(keyOf((await signed()).url)).toBe(keyOf(url));
  });

  it('is not rotated again while both keys are needed', async () => {
    const third = rotateKey(ports(), 'createSecret', randomUUID());
    await expect(third).rejects.toThrow(TwoKeysNeeded);
  });

  it('is revoked within 25 hours of its replacement: all URLs end, and new ones work', async () => {
    const { url } = await signed();
    await revokeKeys(ports(), randomUUID());
    expect((await fetch(url)).status).toBe(403);
    expect(await ports().issuer.list()).toHaveLength(1);
    expect((await fetch((await signed()).url)).status).toBe(200);
    const token = randomUUID();
    for (const step of ROTATION_STEPS) await rotateKey(ports(), step, token);
    expect(await ports().issuer.list()).toHaveLength(2);
  });

  it('is deleted 25 hours after its replacement, and its URLs stop working', async () => {
    const { url } = await signed();
    aheadSeconds = 25 * 3_600 - 60;
    await removeReplacedKeys(ports());
    expect((await fetch(url)).status).toBe(200);
    aheadSeconds = 25 * 3_600 + 5;
    await removeReplacedKeys(ports());
    expect(await ports().issuer.list()).toHaveLength(1);
    expect((await fetch(url)).status).toBe(403);
  });
});
